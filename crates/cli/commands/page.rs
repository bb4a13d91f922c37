//! `hognose page`: serves the web page on this machine only.

use crate::error::{Error, Result};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::say;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::future::poll_fn;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// Serve the web page with games, races and play, on this machine only
///
/// Build the page first with `crates/web/build.sh` in the source repository. Press Ctrl-C to stop.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Folder that contains the page
    #[arg(long, value_name = "FOLDER", default_value = DIST)]
    folder: PathBuf,
}

/// The folder that `crates/web/build.sh` builds the page in.
const DIST: &str = "crates/web/dist";
/// The interval at which the server checks for requests to stop.
const TICK: Duration = Duration::from_millis(100);
/// Bytes of an answer that the system buffers for a client. The default is megabytes, and a slow
/// client would need longer than `Limits::time` to make room for more.
const SEND_BUFFER: u32 = 64 << 10;
/// How long a closing connection still accepts input. A client that is still sending when its
/// connection closes loses the answer.
const LINGER: Duration = Duration::from_secs(1);

/// Limits on the resources that one client can use.
#[derive(Clone, Copy)]
struct Limits {
    /// Maximum bytes of a request line and its headers.
    head: usize,
    /// Maximum bytes of a request body.
    body: usize,
    /// Time limit for the head of a request, for its body, and for a client that does not read its
    /// answer.
    time: Duration,
    /// Maximum number of simultaneous connections; others wait.
    connections: usize,
}

const LIMITS: Limits = Limits {
    head: 16 << 10,
    body: 1 << 20,
    time: Duration::from_secs(10),
    connections: 64,
};

/// Serves the page until the user stops it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let page = Arc::new(Page::new(&arguments.folder)?);
    interrupt::listen()?;
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let listener = runtime
        .block_on(async { listen(arguments.port) })
        .map_err(|error| {
            Error::new(format!(
                "can't listen on 127.0.0.1:{}: {error}; use --port for another one",
                arguments.port
            ))
        })?;
    say!(
        "http://127.0.0.1:{}/ shows the page; press Ctrl-C to stop",
        listener.local_addr()?.port()
    );
    runtime.block_on(serve(&listener, &page, LIMITS));
    runtime.shutdown_background();
    Ok(Outcome::Interrupted)
}

/// Listens for clients on this machine.
fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // Closed connections keep a port busy for a minute, except on Windows, where this option would
    // share the port.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    socket.listen(1024)
}

/// Answers clients until the user stops the server.
async fn serve(listener: &TcpListener, page: &Arc<Page>, limits: Limits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    while !interrupt::asked() {
        let Ok(Ok(place)) = timeout(TICK, places.clone().acquire_owned()).await else {
            continue;
        };
        match timeout(TICK, listener.accept()).await {
            Ok(Ok((stream, _))) => {
                let page = page.clone();
                tokio::spawn(async move {
                    // An error of a connection concerns only its client.
                    let _ = converse(stream, &page, limits).await;
                    drop(place);
                });
            }
            // For example, too many open files.
            Ok(Err(_)) => sleep(TICK).await,
            Err(_) => {}
        }
    }
}

/// Answers the requests of a connection, one after another.
async fn converse(stream: TcpStream, page: &Arc<Page>, limits: Limits) -> io::Result<()> {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.time));
    let service = service_fn(|request| Box::pin(answer(request, page.clone(), limits)));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.time)
        .max_buf_size(limits.head)
        .half_close(true)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let ended = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let parts = connection.into_parts();
    let mut stream = parts.io.into_inner();
    // Without any input there is no request to answer: browsers open connections in advance.
    if ended.is_err_and(|error| error.is_timeout()) && !parts.read_buf.is_empty() {
        stream
            .write_all(
                b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            )
            .await?;
    }
    stream.shutdown().await?;
    let _ = timeout(LINGER, copy(&mut stream, &mut sink())).await;
    Ok(())
}

/// Answers a request.
async fn answer(
    request: Request<Incoming>,
    page: Arc<Page>,
    limits: Limits,
) -> std::result::Result<Response<Full<Bytes>>, Infallible> {
    let (request, body) = request.into_parts();
    // Request bodies are ignored, but the next request follows them.
    match timeout(limits.time, Limited::new(body, limits.body).collect()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            return Ok(refusal(StatusCode::PAYLOAD_TOO_LARGE));
        }
        Ok(Err(_)) => return Ok(refusal(StatusCode::BAD_REQUEST)),
        Err(_) => return Ok(refusal(StatusCode::REQUEST_TIMEOUT)),
    }
    let host = request
        .headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    if !host.is_some_and(is_here) {
        return Ok(refusal(StatusCode::FORBIDDEN));
    }
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return Ok(refusal(StatusCode::METHOD_NOT_ALLOWED));
    }
    let file = spawn_blocking(move || page.file(request.uri.path())).await;
    Ok(match file {
        Ok(Some(file)) => file.response(accepts_gzip(&request.headers)),
        _ => refusal(StatusCode::NOT_FOUND),
    })
}

/// Returns whether a request is addressed to this machine. A foreign page can make its own host
/// name resolve to this machine, but can't change the host name that the browser sends.
fn is_here(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
    ["127.0.0.1", "localhost"].contains(&name)
}

/// Returns whether a client accepts gzip compression.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lists = headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight
            .trim()
            .strip_prefix("q=")
            .and_then(|weight| weight.parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_some_and(|weight: f32| weight > 0.0)
    })
}

/// The page in its folder.
struct Page {
    folder: PathBuf,
    /// The files requested so far: each is compressed once, and slow clients share it.
    kept: Mutex<HashMap<PathBuf, Arc<Mutex<Option<PageFile>>>>>,
}

impl Page {
    fn new(folder: &Path) -> Result<Page> {
        if !folder.join("index.html").is_file() {
            return Err(Error::new(format!(
                "there is no page in {}: build it with crates/web/build.sh in hognose's sources, \
                 which writes {DIST}, or use --folder",
                folder.display()
            )));
        }
        // Canonical, for comparison with the paths of files.
        Ok(Page {
            folder: folder.canonicalize()?,
            kept: Mutex::default(),
        })
    }

    /// Returns the file that a URL path refers to, if there is one.
    fn file(&self, path: &str) -> Option<PageFile> {
        let path = self.path_of(path)?;
        let metadata = fs::metadata(&path).ok()?;
        let version = (metadata.modified().ok()?, metadata.len());
        let kept = self
            .kept
            .lock()
            .expect("the lock is not poisoned")
            .entry(path.clone())
            .or_default()
            .clone();
        let mut kept = kept.lock().expect("the lock is not poisoned");
        if kept.as_ref().is_none_or(|file| file.version != version) {
            *kept = Some(PageFile::read(&path, version).ok()?);
        }
        kept.clone()
    }

    /// Returns the path in the folder that a URL path refers to.
    fn path_of(&self, path: &str) -> Option<PathBuf> {
        let path = path.strip_prefix('/')?;
        let path = Path::new(if path.is_empty() { "index.html" } else { path });
        // The page's files have plain names, so URL paths need no decoding.
        if !path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return None;
        }
        // A link may lead out of the folder.
        let file = fs::canonicalize(self.folder.join(path)).ok()?;
        (file.starts_with(&self.folder) && file.is_file()).then_some(file)
    }
}

/// A file of the page.
#[derive(Clone)]
struct PageFile {
    /// Modification time and size, since the page may be rebuilt while it is served.
    version: (SystemTime, u64),
    content_type: &'static str,
    plain: Bytes,
    gzip: Bytes,
}

impl PageFile {
    fn read(path: &Path, version: (SystemTime, u64)) -> io::Result<PageFile> {
        let plain = fs::read(path)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&plain)?;
        let gzip = gzip.finish()?;
        Ok(PageFile {
            version,
            content_type: content_type(path),
            plain: plain.into(),
            gzip: gzip.into(),
        })
    }

    /// Returns the answer with this file. Browsers must revalidate it before using a cached copy.
    fn response(self, gzip: bool) -> Response<Full<Bytes>> {
        let response = Response::builder()
            .header(header::CONTENT_TYPE, self.content_type)
            .header(header::CACHE_CONTROL, "no-cache")
            .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
            .header(header::VARY, "Accept-Encoding");
        let response = if gzip {
            response
                .header(header::CONTENT_ENCODING, "gzip")
                .body(self.gzip.into())
        } else {
            response.body(self.plain.into())
        };
        response.expect("the headers are valid")
    }
}

/// Returns the answer to a refused request. It closes the connection, since more input may follow.
fn refusal(status: StatusCode) -> Response<Full<Bytes>> {
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "text/plain; charset=utf-8")
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header(header::CONNECTION, "close")
        .body(format!("{status}\n").into())
        .expect("the headers are valid")
}

/// Returns the content type of a file. Browsers require the right type for scripts and WebAssembly.
fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;
    use std::net::{SocketAddr, TcpStream as Client};
    use std::thread;
    use tempfile::TempDir;

    #[test]
    fn only_this_machine_is_served() {
        for host in ["127.0.0.1", "127.0.0.1:8080", "localhost", "localhost:1"] {
            assert!(is_here(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "127.0.0.1.example.org:80",
            "localhost.example.org",
            "[::1]:80",
            "127.0.0.2",
        ] {
            assert!(!is_here(host), "{host}");
        }
    }

    #[test]
    fn only_files_of_the_folder_are_served() {
        let all = tempfile::tempdir().unwrap();
        let folder = all.path().join("dist");
        fs::create_dir_all(folder.join("agents")).unwrap();
        for file in ["dist/index.html", "dist/agents/a.safetensors", "secret"] {
            fs::write(all.path().join(file), file).unwrap();
        }
        let page = Page::new(&folder).unwrap();
        let served = |path: &str| page.file(path).map(|file| file.plain);
        assert_eq!(served("/").unwrap(), "dist/index.html");
        assert_eq!(
            served("/agents/a.safetensors").unwrap(),
            "dist/agents/a.safetensors"
        );
        for path in [
            "/../secret",
            "/agents/../../secret",
            "/%2e%2e/secret",
            "//etc/passwd",
            "/agents",
            "/nothing",
            "/./x",
            "/a\0b",
            "secret",
            "*",
        ] {
            assert_eq!(served(path), None, "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(all.path().join("secret"), folder.join("link")).unwrap();
            assert_eq!(served("/link"), None);
        }
        let error = Page::new(all.path()).err().unwrap().to_string();
        assert!(error.contains("crates/web/build.sh"), "{error}");
    }

    #[test]
    fn a_file_is_compressed_once_for_each_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.html");
        fs::write(&path, "old").unwrap();
        let page = Page::new(folder.path()).unwrap();
        let old = page.file("/").unwrap();
        assert_eq!(page.file("/").unwrap().gzip.as_ptr(), old.gzip.as_ptr());
        fs::write(&path, "newer").unwrap();
        let new = page.file("/").unwrap();
        assert_eq!(new.plain, "newer");
        assert_eq!(decompressed(&new.gzip), b"newer");
    }

    #[test]
    fn gzip_is_for_clients_that_take_it() {
        let accepts = |lists: &[&str]| {
            let headers = lists
                .iter()
                .map(|list| (header::ACCEPT_ENCODING, list.parse().unwrap()));
            accepts_gzip(&headers.collect())
        };
        for lists in [
            &["gzip"][..],
            &["GZIP"],
            &["br, gzip;q=0.5, *;q=0"],
            &["br", "gzip ; q=1"],
            &["deflate,gzip"],
        ] {
            assert!(accepts(lists), "{lists:?}");
        }
        for lists in [
            &[][..],
            &[""],
            &["br"],
            &["gzip;q=0"],
            &["gzip; q=0.000"],
            &["gzipped"],
            &["*"],
            &["gzip;q=x"],
        ] {
            assert!(!accepts(lists), "{lists:?}");
        }
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    const POST: &str = "POST / HTTP/1.1\r\nHost: localhost\r\n";
    const SHORT: Limits = Limits {
        time: Duration::from_millis(300),
        ..LIMITS
    };

    /// A page with one file that is served until the tests end.
    struct Served {
        address: SocketAddr,
        _folder: TempDir,
    }

    impl Served {
        fn new(file: &[u8], limits: Limits) -> Served {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("index.html"), file).unwrap();
            let page = Arc::new(Page::new(folder.path()).unwrap());
            let runtime = runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let listener = runtime.block_on(async { listen(0) }).unwrap();
            let address = listener.local_addr().unwrap();
            thread::spawn(move || runtime.block_on(serve(&listener, &page, limits)));
            Served {
                address,
                _folder: folder,
            }
        }

        /// Connects a client that has sent this.
        fn client(&self, sent: &[u8]) -> Client {
            let mut client = Client::connect(self.address).unwrap();
            client.write_all(sent).unwrap();
            client
        }

        fn ask(&self, sent: impl AsRef<[u8]>) -> String {
            received(self.client(sent.as_ref()))
        }
    }

    /// Returns everything received until the connection ends.
    fn received(mut client: Client) -> String {
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    fn decompressed(gzip: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        GzDecoder::new(gzip).read_to_end(&mut plain).unwrap();
        plain
    }

    #[track_caller]
    fn assert_status(answer: &str, status: &str) {
        assert_eq!(
            answer.split(' ').nth(1).unwrap_or_default(),
            status,
            "{answer}"
        );
    }

    #[test]
    fn headers_and_bodies_have_limits() {
        let served = Served::new(b"page", LIMITS);
        let headers =
            |bytes: usize| format!("{GET}Connection: close\r\nX: {}\r\n\r\n", "x".repeat(bytes));
        assert_status(&served.ask(headers(15 << 10)), "200");
        assert_status(&served.ask(headers(17 << 10)), "431");
        assert_status(
            &served.ask(format!("{GET}X: {}", "x".repeat(8 << 20))),
            "431",
        );
        let body =
            |bytes: usize| format!("{POST}Content-Length: {bytes}\r\n\r\n{}", "x".repeat(bytes));
        assert_status(&served.ask(body(1 << 20)), "405");
        assert_status(&served.ask(body((1 << 20) + 1)), "413");
        let chunk = format!("80000\r\n{}\r\n", "x".repeat(0x80000));
        assert_status(
            &served.ask(format!(
                "{POST}Transfer-Encoding: chunked\r\n\r\n{}",
                chunk.repeat(3)
            )),
            "413",
        );
        assert_status(
            &served.ask(format!("{POST}Transfer-Encoding: chunked\r\n\r\nx\r\n")),
            "400",
        );
    }

    #[test]
    fn a_request_must_come_in_time() {
        let served = Served::new(b"page", SHORT);
        let nothing = served.client(b"");
        let head = served.client(GET.as_bytes());
        let body = served.client(format!("{POST}Content-Length: 9\r\n\r\nhalf").as_bytes());
        let kept = served.client(format!("{GET}\r\n").as_bytes());
        let mut dripping = served.client(GET.as_bytes());
        let dripped = (0..1000).take_while(|_| {
            thread::sleep(SHORT.time / 10);
            dripping.write_all(b"X: x\r\n").is_ok()
        });
        assert!(dripped.count() < 1000);
        assert_status(&received(head), "408");
        assert_status(&received(body), "408");
        assert_eq!(received(nothing), "");
        let answer = received(kept);
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\npage"),
            "{answer}"
        );
    }

    #[test]
    fn one_connection_serves_several_requests() {
        let served = Served::new(b"page", LIMITS);
        let answer = served.ask(format!("{GET}\r\n{GET}Connection: close\r\n\r\n"));
        assert_eq!(answer.matches("HTTP/1.1 200").count(), 2, "{answer}");
    }

    #[test]
    fn clients_that_stand_still_hold_up_nobody() {
        let served = Served::new(&[b'x'; 4 << 20], LIMITS);
        let whole = format!("{GET}\r\n");
        let half = format!("{POST}Content-Length: 9\r\n\r\nhalf");
        let stalled: Vec<Client> = [&whole, &half, GET]
            .repeat(10)
            .into_iter()
            .map(|sent| served.client(sent.as_bytes()))
            .collect();
        assert_status(
            &served.ask(format!("HEAD{}Connection: close\r\n\r\n", &GET[3..])),
            "200",
        );
        drop(stalled);
    }

    #[test]
    fn a_client_that_takes_nothing_is_dropped() {
        let served = Served::new(
            &[b'x'; 4 << 20],
            Limits {
                connections: 1,
                ..SHORT
            },
        );
        let stalled = served.client(format!("{GET}\r\n").as_bytes());
        assert_status(
            &served.ask(format!("{GET}Connection: close\r\n\r\n")),
            "200",
        );
        assert!(received(stalled).len() < 4 << 20);
    }

    #[test]
    fn a_slow_client_gets_everything() {
        let served = Served::new(
            &[b'x'; 3 << 20],
            Limits {
                time: Duration::from_secs(1),
                ..LIMITS
            },
        );
        let mut client = served.client(format!("{GET}Connection: close\r\n\r\n").as_bytes());
        let mut bytes = 0;
        let mut part = [0; 100_000];
        loop {
            match client.read(&mut part).unwrap() {
                0 => break,
                more => bytes += more,
            }
            thread::sleep(Duration::from_millis(50));
        }
        assert!(bytes > 3 << 20, "{bytes}");
    }

    #[test]
    fn further_connections_wait() {
        let served = Served::new(
            b"page",
            Limits {
                connections: 2,
                ..LIMITS
            },
        );
        let first = served.client(b"");
        let second = served.client(b"");
        let mut third = served.client(format!("{GET}Connection: close\r\n\r\n").as_bytes());
        third
            .set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        third.read(&mut [0]).unwrap_err();
        drop(first);
        third.set_read_timeout(None).unwrap();
        assert_status(&received(third), "200");
        drop(second);
    }
}
