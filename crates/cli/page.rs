//! `hognose page`: serves the page in the browser, on this machine alone.

use crate::error::{Error, Result};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::say;
use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// Serve the page: games, races and play in the browser, on this machine alone
///
/// The page must have been built, by `crates/web/build.sh` in hognose's sources. Ctrl-C ends it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Port on 127.0.0.1; 0 for any that is free
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Folder with the page
    #[arg(long, value_name = "FOLDER", default_value = DIST)]
    folder: PathBuf,
}

/// Where `crates/web/build.sh` puts the page.
const DIST: &str = "crates/web/dist";
/// How many requests are answered at once.
const THREADS: usize = 4;
/// How often it is looked whether somebody asked to stop.
const TICK: Duration = Duration::from_millis(100);

/// Serves the page until the user asks to stop.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let folder = page_in(&arguments.folder)?;
    interrupt::listen()?;
    let listening = Server::http((Ipv4Addr::LOCALHOST, arguments.port));
    let server = listening.map_err(|error| {
        Error::new(format!("can't listen on 127.0.0.1:{}: {error}; --port takes another one", arguments.port))
    })?;
    let port = server.server_addr().to_ip().map_or(arguments.port, |address| address.port());
    say!("http://127.0.0.1:{port}/ shows the page; Ctrl-C ends it");
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while !interrupt::asked() {
                    // A connection that fails concerns only who made it.
                    if let Ok(Some(request)) = server.recv_timeout(TICK) {
                        serve(request, &folder);
                    }
                }
            });
        }
    });
    Ok(Outcome::Interrupted)
}

/// The folder of a page that was built, as an absolute path without links.
fn page_in(folder: &Path) -> Result<PathBuf> {
    if !folder.join("index.html").is_file() {
        return Err(Error::new(format!(
            "there is no page in {}: crates/web/build.sh in hognose's sources builds it into {DIST}, and --folder names \
             another folder",
            folder.display()
        )));
    }
    Ok(folder.canonicalize()?)
}

/// Answers a request. Nobody else is told where that fails: the browser has gone.
fn serve(request: Request, folder: &Path) {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    let answer = match () {
        () if !host.is_some_and(|host| is_here(host.value.as_str())) => Err(403),
        () if !matches!(request.method(), Method::Get | Method::Head) => Err(405),
        () => file_of(request.url(), folder).and_then(|path| Ok((File::open(&path).map_err(|_| 404u16)?, path))),
    };
    let _ = match answer {
        Ok((file, path)) => request.respond(with_headers(Response::from_file(file), content_type(&path))),
        Err(code) => {
            let text = StatusCode(code).default_reason_phrase();
            let response = Response::from_string(format!("{code} {text}\n")).with_status_code(code);
            request.respond(with_headers(response, "text/plain; charset=utf-8"))
        }
    };
}

/// Whether a request is meant for this machine. A page from elsewhere can make its own name lead here, but not change
/// the name that the browser tells.
fn is_here(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
    ["127.0.0.1", "localhost"].contains(&name)
}

/// The file in the folder that an address names, or the status that refuses it.
fn file_of(url: &str, folder: &Path) -> std::result::Result<PathBuf, u16> {
    let path = url.split(['?', '#']).next().unwrap_or_default().strip_prefix('/').ok_or(400u16)?;
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    // The files of the page have plain names, so that nothing in an address is decoded.
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(404);
    }
    // A link may lead out of the folder.
    let file = fs::canonicalize(folder.join(path)).map_err(|_: io::Error| 404u16)?;
    if file.starts_with(folder) && file.is_file() { Ok(file) } else { Err(404) }
}

/// The content type of a file. Browsers run scripts and WebAssembly only with theirs.
fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

/// Says what a response is, and that browsers ask again before they show an older one.
fn with_headers<R: io::Read>(response: Response<R>, content_type: &str) -> Response<R> {
    let headers =
        [("Content-Type", content_type), ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff")];
    headers.into_iter().fold(response, |response, (name, value)| {
        response.with_header(Header::from_bytes(name, value).expect("these are headers"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served() {
        for host in ["127.0.0.1", "127.0.0.1:8080", "localhost", "localhost:1"] {
            assert!(is_here(host), "{host}");
        }
        for host in ["", "example.org", "127.0.0.1.example.org:80", "localhost.example.org", "[::1]:80", "127.0.0.2"] {
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
        let folder = page_in(&folder).unwrap();
        let served = |url: &str| file_of(url, &folder).map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(served("/"), Ok("dist/index.html".to_owned()));
        assert_eq!(served("/index.html?a=/../b"), Ok("dist/index.html".to_owned()));
        assert_eq!(served("/agents/a.safetensors"), Ok("dist/agents/a.safetensors".to_owned()));
        for url in [
            "/../secret",
            "/agents/../../secret",
            "/%2e%2e/secret",
            "//etc/passwd",
            "/agents",
            "/nothing",
            "/./x",
            "/a\0b",
        ] {
            assert_eq!(served(url), Err(404), "{url}");
        }
        assert_eq!(served("secret"), Err(400));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(all.path().join("secret"), folder.join("link")).unwrap();
            assert_eq!(served("/link"), Err(404));
        }
        let error = page_in(all.path()).unwrap_err().to_string();
        assert!(error.contains("crates/web/build.sh"), "{error}");
    }
}
