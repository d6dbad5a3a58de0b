import { readFileSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { quietPort } from "../Ports.ts"
import { makeCertificates } from "./Certificates.ts"
import { folder, startListener } from "./Ground.ts"

export interface NginxOptions {
  /** Served under `/files/`, with ranges, ETag and keep-alive. */
  readonly files: string
  /** Address of the service for everything else. */
  readonly service: string
}

/** nginx with TLS under a private authority: a link host for real files and a reverse proxy before the service. */
export const startNginx = Effect.fnUntraced(function* ({ files, service }: NginxOptions) {
  const home = yield* folder
  const port = yield* quietPort
  const { ca, certificate, key } = yield* makeCertificates(home)
  const log = join(home, "access.log")
  writeFileSync(
    join(home, "nginx.conf"),
    `${userInfo().uid === 0 ? "user root;" : ""}
worker_processes 1;
daemon off;
pid ${home}/nginx.pid;
error_log stderr warn;
events { worker_connections 256; }
http {
  log_format line '$connection $status $request_method $uri $http_range';
  access_log ${log} line;
  client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy; fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi; scgi_temp_path ${home}/scgi;
  server {
    listen 127.0.0.1:${port} ssl;
    listen 127.0.0.2:${port} ssl;
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    ssl_protocols TLSv1.2 TLSv1.3;
    location /files/ { alias ${files}/; }
    location / { proxy_pass ${service}; proxy_set_header Host $host:$server_port; proxy_redirect off; }
  }
}
`
  )
  yield* startListener(port, "nginx", ["-p", home, "-c", join(home, "nginx.conf"), "-e", "stderr"], { cwd: home })
  return {
    url: `https://localhost:${port}`,
    port,
    ca,
    /** One entry per request so far. */
    requests: () =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [connection = "", status = "", method = "", path = "", range = ""] = line.split(" ")
          return { connection, status: Number(status), method, path, range }
        })
  }
})
