// Keeps the page for visits without a connection. With one, its server always comes first, so a new build shows at once.

/** The files of the page, which build.sh lists, and agents once they have been fetched. */
const FILES = ["./"];
const KEPT = "hognose";

addEventListener("install", (event) => {
  // The page has just fetched most of them, so the browser still has them.
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)));
  skipWaiting();
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const path = request.url.replace(registration.scope, "./").split("#")[0];
  const isOurs = FILES.includes(path) || path.startsWith("./agents/");
  if (request.method === "GET" && isOurs) event.respondWith(answer(request));
});

/** Returns the server's answer, and keeps it; the one kept if there is no connection. */
async function answer(request) {
  const kept = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    if (response.ok) kept.put(request, response.clone());
    return response;
  } catch (error) {
    return (await kept.match(request)) ?? Promise.reject(error);
  }
}
