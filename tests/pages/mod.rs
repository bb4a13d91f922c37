//! `hognose page` as browsers and others ask it.

use crate::{hognose, refuse, text};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// A page of two files that is being served.
struct Served {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.html"), "<!doctype html>").unwrap();
        fs::write(folder.path().join("hognose_bg.wasm"), [0, 1, 2]).unwrap();
        let mut command = hognose(&["page", "--port", "0", "--folder", text(folder.path())]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|rest| Some(rest.split_once('/')?.0.to_owned())).unwrap();
        Served { child, address, _folder: folder }
    }

    /// What is answered to a request: the status line with the headers, and the body.
    fn ask(&self, method: &str, url: &str, host: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{method} {url} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
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
    assert!(served.address.starts_with("127.0.0.1:"), "{}", served.address);
    let (head, body) = served.ask("GET", "/", &served.address);
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("Content-Type: text/html"), "{head}");
    assert_eq!(body, b"<!doctype html>");
    let (head, body) = served.ask("GET", "/hognose_bg.wasm?v=1", "localhost");
    assert!(head.contains("Content-Type: application/wasm"), "{head}");
    assert_eq!(body, [0, 1, 2]);
    assert!(served.ask("HEAD", "/", "localhost").1.is_empty());
    for (method, url, host, status) in [
        ("GET", "/", "example.org", "403"),
        ("GET", "/", "localhost.example.org", "403"),
        ("POST", "/", "localhost", "405"),
        ("GET", "/nothing", "localhost", "404"),
        ("GET", "/../../etc/passwd", "localhost", "404"),
        ("GET", "//etc/passwd", "localhost", "404"),
    ] {
        let (head, _) = served.ask(method, url, host);
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{method} {url} {host}: {head}");
    }
}

#[test]
fn a_missing_page_and_a_taken_port_are_told() {
    let error = refuse(&["page", "--folder", "/no/such/folder"]);
    assert!(error.contains("crates/web/build.sh") && error.contains("/no/such/folder"), "{error}");
    let served = Served::start();
    let port = served.address.split_once(':').unwrap().1;
    let error = refuse(&["page", "--port", port, "--folder", "crates/web/www"]);
    assert!(error.contains(&format!("can't listen on {}", served.address)) && error.contains("--port"), "{error}");
}
