// Lets the search run on pages that are opened from a folder: browsers start no Worker there, so a
// hidden frame takes its place. Pages from a server keep the browser's own.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      const script = this.inner.document.createElement("script");
      script.textContent = `
        var importScripts = (...urls) => urls.reduce((before, url) => before.then(() =>
          new Promise((done) => {
            const script = document.createElement("script");
            script.src = url;
            script.onload = done;
            document.body.append(script);
          })), Promise.resolve());
        window.postMessage = (data) => parent.postMessage({ worker: data }, "*");
        window.give = (data) => window.dispatchEvent(new MessageEvent("message", { data }));
      `;
      this.inner.document.body.append(script);
      this.ready = this.inner.importScripts(url);
      addEventListener("message", (event) => {
        if (event.source !== this.inner) return;
        const message = new MessageEvent("message", { data: event.data.worker });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.inner.give(data));
    }
    terminate() {}
  };
}
