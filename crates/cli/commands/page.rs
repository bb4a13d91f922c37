//! `hognose page`: serves the web page on this machine only.

use crate::error::{Error, Result};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::say;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::time::sleep;
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;

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

/// Serves the page until the user stops it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let Arguments { port, folder } = arguments;
    if !folder.join("index.html").is_file() {
        return Err(Error::new(format!(
            "there is no page in {}: build it with crates/web/build.sh in hognose's sources, \
             which writes {DIST}, or use --folder",
            folder.display()
        )));
    }
    interrupt::listen()?;
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).await;
        let listener = listener.map_err(|error| {
            Error::new(format!(
                "can't listen on 127.0.0.1:{port}: {error}; use --port for another one"
            ))
        })?;
        say!(
            "http://127.0.0.1:{}/ shows the page; press Ctrl-C to stop",
            listener.local_addr()?.port()
        );
        tokio::select! {
            ended = axum::serve(listener, page(folder)) => ended?,
            () = stop() => {}
        }
        Ok(Outcome::Interrupted)
    })
}

/// Waits until the user stops the server.
async fn stop() {
    while !interrupt::asked() {
        sleep(TICK).await;
    }
}

/// Answers requests with the files of a folder.
fn page(folder: &Path) -> Router {
    Router::new()
        .fallback_service(ServeDir::new(folder))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn(answer))
}

/// Refuses requests to other hosts. Browsers must revalidate a file before using a cached copy.
async fn answer(request: Request, next: Next) -> std::result::Result<Response, StatusCode> {
    let host = request.headers().get(header::HOST);
    if !host.is_some_and(is_here) {
        return Err(StatusCode::FORBIDDEN);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = [
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
    Ok(response)
}

/// Returns whether a request is addressed to this machine. A foreign page can make its own host
/// name resolve to this machine, but can't change the host name that the browser sends.
fn is_here(host: &HeaderValue) -> bool {
    let host = host.to_str().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
    ["127.0.0.1", "localhost"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served() {
        for host in ["127.0.0.1", "127.0.0.1:8080", "localhost", "localhost:1"] {
            assert!(is_here(&HeaderValue::from_static(host)), "{host}");
        }
        for host in [
            "",
            "example.org",
            "127.0.0.1.example.org:80",
            "localhost.example.org",
            "[::1]:80",
            "127.0.0.2",
        ] {
            assert!(!is_here(&HeaderValue::from_static(host)), "{host}");
        }
    }
}
