//! Tests `hognose page` from the view of browsers and other clients.

#[cfg(unix)]
use crate::interrupt;
use crate::{hognose, refuse, text};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// A page with two files that is being served.
struct Served {
    child: Child,
    address: String,
    folder: tempfile::TempDir,
}

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.html"), "<!doctype html>").unwrap();
        fs::write(folder.path().join("hognose_bg.wasm"), [0, 1, 2]).unwrap();
        let mut command = hognose(&["page", "--port", "0", "--folder", text(folder.path())]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .strip_prefix("http://")
            .and_then(|rest| Some(rest.split_once('/')?.0.to_owned()))
            .unwrap();
        Served {
            child,
            address,
            folder,
        }
    }

    /// Returns the answer to a request: the status line with the headers, and the body.
    fn ask(&self, method: &str, url: &str, host: &str) -> (String, Vec<u8>) {
        self.answer(&format!(
            "{method} {url} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ))
    }

    fn answer(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer
            .windows(4)
            .position(|bytes| bytes == b"\r\n\r\n")
            .unwrap();
        (
            String::from_utf8(answer[..end].to_vec()).unwrap(),
            answer[end + 4..].to_vec(),
        )
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_is_served_to_this_machine() {
    let served = Served::start();
    assert!(
        served.address.starts_with("127.0.0.1:"),
        "{}",
        served.address
    );
    let (head, body) = served.ask("GET", "/", &served.address);
    assert!(
        head.starts_with("HTTP/1.1 200") && head.contains("content-type: text/html"),
        "{head}"
    );
    assert_eq!(body, b"<!doctype html>");
    let (head, body) = served.ask("GET", "/hognose_bg.wasm?v=1", "localhost");
    assert!(
        head.contains("content-type: application/wasm") && !head.contains("content-encoding"),
        "{head}"
    );
    for header in ["cache-control: no-cache", "x-content-type-options: nosniff"] {
        assert!(head.to_lowercase().contains(header), "{head}");
    }
    assert_eq!(body, [0, 1, 2]);
    let (head, body) = served.ask("HEAD", "/", "localhost");
    assert!(
        head.contains("content-length: 15") && body.is_empty(),
        "{head}"
    );
    for (method, url, host, status) in [
        ("GET", "/", "example.org", "403"),
        ("GET", "/", "localhost.example.org", "403"),
        ("POST", "/", "localhost", "405"),
        ("GET", "/nothing", "localhost", "404"),
        ("GET", "/../../etc/passwd", "localhost", "404"),
        ("GET", "//etc/passwd", "localhost", "404"),
    ] {
        let (head, _) = served.ask(method, url, host);
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status}")),
            "{method} {url} {host}: {head}"
        );
    }
}

#[test]
fn browsers_get_the_page_compressed() {
    let served = Served::start();
    fs::write(
        served.folder.path().join("hognose_bg.wasm"),
        vec![0; 1_000_000],
    )
    .unwrap();
    let request = "GET /hognose_bg.wasm HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br, \
                   gzip\r\nConnection: close\r\n";
    let (head, body) = served.answer(&format!("{request}\r\n"));
    for header in [
        "content-encoding: gzip",
        "content-type: application/wasm",
        "vary: accept-encoding",
    ] {
        assert!(head.contains(header), "{head}");
    }
    // The length of the first chunk comes before it.
    let start = body.windows(2).position(|bytes| bytes == b"\r\n").unwrap() + 2;
    assert!(
        body[start..].starts_with(&[0x1f, 0x8b]) && body.len() < 10_000,
        "{}",
        body.len()
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_while_clients_stand_still() {
    let mut served = Served::start();
    let mut client = TcpStream::connect(&served.address).unwrap();
    client.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    served.ask("GET", "/", "localhost");
    interrupt(&served.child);
    assert_eq!(served.child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_missing_page_and_a_taken_port_are_reported() {
    let error = refuse(&["page", "--folder", "/no/such/folder"]);
    assert!(
        error.contains("crates/web/build.sh") && error.contains("/no/such/folder"),
        "{error}"
    );
    let served = Served::start();
    let port = served.address.split_once(':').unwrap().1;
    let error = refuse(&["page", "--port", port, "--folder", "crates/web/www"]);
    assert!(
        error.contains(&format!("can't listen on {}", served.address)) && error.contains("--port"),
        "{error}"
    );
}
