/** `svc-gateway`: what it is called and how it is used. */
import type { CommandOptions, Step } from "../main/Step.ts"

export const options = {
  host: {
    type: "text",
    metavar: "ADDRESS",
    default: "127.0.0.1",
    help: "Address to listen on"
  },
  port: {
    type: "int",
    least: 0,
    most: 65_535,
    metavar: "N",
    default: "0",
    help: "Port; 0 takes a free one"
  },
  socket: {
    type: "path",
    metavar: "PATH",
    help: "Listen on this socket file, for you alone"
  },
  relay: {
    type: "flag",
    help: "Send bytes; the default with --tokenFile"
  },
  redirect: {
    type: "flag",
    help: "Redirect to links also with --tokenFile"
  },
  tokenFile: {
    type: "path",
    file: { what: "the token file", use: "read" },
    metavar: "FILE",
    help: "File with the token that readers must show, or with lines NAME TOKEN|sha256:HEX [ID or PREFIX* ...] [may=read|restore|change,...] [until=DATE]. SIGHUP reads it again"
  },
  publicUrl: {
    type: "text",
    metavar: "URL",
    help: "Address under which readers know the gateway"
  },
  allowOrigin: {
    type: "list",
    metavar: "ORIGIN",
    help: "Let pages of this origin read; * for any"
  },
  genome: {
    type: "path",
    file: { what: "the genome", use: "read" },
    metavar: "FILE",
    help: "Bases for the page: a .fa (with .fai) or .2bit"
  },
  genes: {
    type: "path",
    file: { what: "the file of genes", use: "read" },
    metavar: "FILE",
    help: "Genes for the page: a named BED or a GFF3"
  },
  accessLog: {
    type: "path",
    file: { what: "the access log", use: "written" },
    metavar: "FILE|-",
    help: "JSON lines of who reads what; - is standard output"
  },
  accessLogRequired: { type: "flag", help: "503 while the access log cannot be written" },
  readerConnections: {
    type: "int",
    least: 1,
    most: 10_000,
    default: "64",
    metavar: "N",
    help: "Files of one reader under way at a time"
  },
  trustProxy: {
    type: "list",
    metavar: "ADDRESS",
    help: "Believe X-Forwarded-For of this address"
  },
  drain: {
    type: "duration",
    default: "20s",
    metavar: "TIME",
    help: "How long an end waits for what is under way"
  },
  queueTimeout: {
    type: "duration",
    default: "5m",
    metavar: "TIME",
    help: "How long a reader waits for its turn"
  },
  api: {
    type: "flag",
    help: "Serve the API of the service, below /service/"
  },
  spoolLimit: {
    type: "rate",
    default: "8G",
    metavar: "SIZE",
    help: "Room on the disk for answers of the API"
  },
  allowRestore: { type: "flag", help: "Let readers ask for restorations, which cost money" }
} as const satisfies CommandOptions

export const gatewayStep: Step = {
  name: "gateway",
  service: true,
  operands: {
    metavar: "COMMAND",
    help: "Run it with the session: SVC_TARGET, SVC_TOKEN",
    least: 0,
    most: 100_000,
    isCommand: true
  },
  summary: "Serve the files of the service at addresses that never expire, and as htsget",
  options,
  combinations: [
    { options: ["COMMAND"], without: ["tokenFile"], why: "a command has a token of its own" },
    { options: ["COMMAND"], without: ["socket"], why: "the steps of a command need a port" },
    { options: ["relay"], without: ["redirect"], why: "each is a way to give bytes" },
    { options: ["socket"], without: ["host", "port"], why: "a socket file takes the place of an address" },
    { options: ["accessLogRequired"], with: ["accessLog"], why: "it is about that log" }
  ],
  // Files under way end first, then the session (gateway/Gateway.ts).
  grace: 620_000,
  examples: [
    {
      command: "-t https://lab.example.org -- nextflow run main.nf",
      says: "one login for a whole pipeline"
    },
    {
      command: "-t https://lab.example.org --host 0.0.0.0 -- ./pipeline.sh",
      says: "the same with jobs on other nodes"
    },
    {
      command: "-t https://lab.example.org --host 0.0.0.0 --port 8080 --tokenFile tokens --api",
      says: "for a lab: a gateway that stands, and tokens"
    },
    {
      command: "-t https://lab.example.org --port 8080 --relay --allowOrigin https://igv.org",
      says: "for a genome browser"
    }
  ]
}
