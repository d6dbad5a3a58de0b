/**
 * The faults that the product has an answer for, numbered as in the names of the tests. `docs/dev/faults.md` is made from this
 * table and those names.
 *
 * One line each: number | fault | what we do | why there is no test, for the rows that have none.
 */

export interface Fault {
  /** `N1`, ... */
  readonly id: string
  readonly fault: string
  readonly answer: string
  /** Why no test has the number; null where one has to. */
  readonly untested: string | null
}

export interface Group {
  readonly title: string
  readonly faults: ReadonlyArray<Fault>
}

const text = `
# Network
N1 | connection refused | tried again with growing waits (API: 7 sends in about half a minute, link hosts: 8 times more), then 69
N2 | the host name does not exist, or the resolver is away | a few tries, then 69; the message names the host and nothing of the link
N3 | a connection that never stands | given up after 15 s, tried again, then 69
N4 | certificate unknown, expired or of another host; TLS too old | 69 at once with the way out (\`--caFile\`); nothing is sent, never weaker than TLS 1.2
N5 | the connection is accepted and closed at once | tried again
N6 | reset after any number of bytes | the file goes on at the next byte
N7 | the connection ends before the announced length | a cut, not an end: the file goes on at the next byte; a body that cannot go on is fetched anew
N8 | the end of a body without a length | only the size of the listing tells it from a cut; then as N7
N9 | a chunked body that is cut | seen by its missing end; goes on or is asked for again
N10 | silence in mid-body | given up at the idle limit (60 s, \`--idleTimeout\`) and resumed
N11 | a trickle of bytes | less than 1 KiB/s over two minutes is given up; a slow steady host never is, there is no total limit
N12 | a reply head that never ends | given up after its limit, tried again
N13 | a host that dies again and again after some bytes | every 64 KiB of progress renews the tries, so it ends well; without progress it ends bounded
N14 | proxy: 407, 502, dies, needs credentials | 407 is 77 at once; the rest is tried again; the password goes to the proxy only
N15 | a name whose first address is dead | the next address is tried
N16 | a kept connection that the host closed meanwhile | replaced unnoticed; a login has a connection of its own, and is repeated once when that ends before a byte of the answer, never after

# HTTP
H1 | the range is ignored, the whole file comes | the file begins again at byte 0, never appended; a slice is refused with 69
H2 | 206 with another, malformed or no Content-Range, or in parts | asked once more, then what is there is dropped and the whole file asked for without a range, and a line says so; no byte is taken where it was not asked for; a slice ends with 69
H3 | the file changes between two requests | begun anew, at most twice; versions are never mixed; then 65
H4 | no entity tag that vouches for bytes: weak, missing, unquoted, of a part | If-Range is not used; the last 64 KiB are compared before more is appended
H5 | 412 | as H3
H6 | 416: part complete, file shorter, file empty | a complete part is committed without a request; an empty file only when the listing says 0; 416 to a range inside the file as H2
H7 | a length that contradicts the listing, or more bytes than announced | found before a byte is kept, or at the first byte too many
H8 | Content-Length missing, twice, no number, beside chunks | refused, few tries, 69; without any length the listing decides
H9 | an encoded body although none may be | refused: decoded bytes are never taken for the file
H10 | 204, 202, 203, 304 for data | refused, few tries, 69
H11 | redirects | files: three at most, under the rules for links (L7); API: never followed
H12 | Retry-After: seconds, a date, nonsense, far too long | honoured up to 2 minutes (API) or 60 s (link hosts), else our own wait
H13 | 500 some times | outlasted within the tries, then 69
H14 | informational replies, trailers, folded headers, Latin-1 | the harmless are passed over, the ambiguous refused; never a crash
H15 | enormous or endless heads | refused at a limit, few tries, 69
H16 | another protocol on the port | 69 that says so
H17 | HTML called JSON, JSON called HTML | the content decides: HTML is a lost session or 65, never data; JSON is read
H18 | JSON cut at any byte, trailing garbage, NUL, UTF-16, byte order mark | 65 that quotes nothing; a byte order mark is accepted; nothing reaches the output
H19 | JSON of any size or depth | 64 MiB in memory and a thousand levels, then 65; annotations stream within a fixed memory
H20 | envelopes that lie or differ, not found in three spellings | the table of the contract; 404, 400 and null are one \`NotFound\`, 66
H21 | numbers that no program holds: too large, too precise, text | digits are kept or the value is refused; no size is not a size of 0
H22 | the service restarts in mid-list or mid-download | a new session where it is needed, and the file goes on where it was

# Session
S1 | the login is rejected | 77; the password is sent exactly once
S2 | no cookie or token at first; a token that changes with every answer | \`LoginProtocol\`, 69, with the password unsent; the newest token is used
S3 | the session is ended: 302 with HTML, then 403 | one login for all that wait, the request once more
S4 | a 403 that stays after a login | \`Forbidden\`, 77, for that item alone, when something else is answered by the same session; such items cost one login in all
S5 | the session dies at any request of a run | each recovers; a restore request that may have arrived is not repeated blindly
S6 | a restoration is accepted and the answer lost | it is in the restoration file before it is asked for; asked for twice at most
S7 | two processes with one account, on a service that ends sessions at an overlap | they take turns by a lock; without it they end in bounded logins, 69. A 403 is no proof: what was answered before is asked for again, and tells whether the session is gone; of a list, what was forbidden is asked for once more at the end
S8 | a service that ends the session at any overlap | one API request at a time, whatever is retried, stopped or logged out
S9 | odd cookies: expired, of another host, Secure on http, many | RFC 6265; a cookie goes to its own host only
S10 | passwords with any characters | sent byte for byte
S11 | the logout fails or hangs | the exit code stays; 5 s at most
S12 | a maintenance page in place of the login's answer | \`LoginProtocol\`, 69: not a wrong password

# Links and restoration
L1 | a link has expired: 400, 401, 403, 404, 410 | renewed through the API once, no login, the file goes on
L2 | a link expires in mid-file | renewed once for all its connections; only the same version goes on
L3 | the fresh link is refused as well | \`LinkForbidden\`, 77, and 66 where the host has no such file (404, 410); other files go on
L4 | link and session are gone together | the link is asked for anew, one login, and the file goes on
L5 | links that live for a moment | each that brings bytes is renewed, 50 times at most
L6 | the fresh list lacks the file, has it twice, with another size, archived again, or is of another analysis | an error of its own each; another size begins anew; archived goes to the archive policy
L7 | links to private, loopback and metadata addresses, odd schemes, redirects to them | refused before a packet, 77, unless the service is on such an address itself
L8 | links with spaces, \`%2F\`, \`+\`, Unicode, long queries | sent byte for byte: the signature stays right
L9 | what a link host may see | no cookie, token or referrer goes to it
L10 | the estimate is over and the file still archived | the flag of the service decides; the entry stays, 75
L11 | estimates that are no time, missing, in the year 9999 or 1970 | stays pending, the text is kept; a look at least once a day and never a spin
L12 | the file is there and its analysis gone | the entry stays, 66 in the report; the others are served
L13 | the file is back and its index is not | waits for both: no half pair
L14 | a question without a terminal | means no, at once, and the log says why
L15 | a file that was asked for stays in the archive, or none of its type is listed | left out with a warning, 0; with \`--requireAll\` a failure of its own, 66; the other files come

# Restoration file
T1 | absent or empty | nothing to do, 0
T2 | zero bytes, zeros, cut anywhere, garbage | 65, the file stays byte for byte, the message tells how to go on
T3 | the object layout | read; converted at the first change, the original kept as \`.bak\`
T4 | CRLF; a byte order mark, JSON lines, comments, trailing commas | CRLF is fine, the others are 65 as in T2
T5 | unknown keys at any level | survive every change, in their order
T6 | duplicates | the same request is served once, other options are another request
T7 | entries of tomorrow, wrong types, \`__proto__\` | kept as they are and reported, 65; the good ones run
T8 | a hundred thousand entries | read, changed and written without a copy for each entry
T9 | several resumers at once | each file once, no entry lost
T10 | a resumer beside new requests | the added entry is never lost
T11 | locks of the killed, of used-again process numbers, of other hosts | taken over when proven dead or silent for a minute, else 69 with the owner named
T12 | a lock that is torn, empty, a folder or a link | judged by its age; a link or folder is refused
T13 | locks that lie (NFS, Lustre) | the file is compared before the rename and looked at after it: no entry lost
T14 | an editor changes the file between read and rename | merged into, not over; a corrupt edit is refused as T2
T15 | read-only, a folder, pipe, device, a link that leads nowhere, of another user, writable by others | refused (65, 73 or 74) and untouched; one's own link is followed
T16 | the stored destination is gone or a file | an error of that entry, which stays; no folder is made
T17 | stored options that attack: \`/etc\`, \`../..\` | the rules of the command line hold for them; a file that others may write to is refused (T15)
T18 | killed at any operation of a change | the old or the new entries, never less; leftovers go with the next run
T19 | power cut at any operation | as T18; an entry is durable before the service is asked
T20 | the disk is full during a change | 74, the old file intact; nothing is asked of the service that cannot be written down

# Data, indexes, regions
D1 | a file cut at the border of two blocks; an index cut anywhere, or with text behind it | found by the missing end block, of an index by its last number: 65, no final name; a slice of a file that is there without its end block is made, with a warning in log and report, unless its records are missing or its index points past the end (65)
D2 | one flipped bit | \`svc-verify\` finds it, and so does every slice, since each block that goes into one is inflated and its CRC-32 compared; blocks that are missing, doubled or in each other's place are found by the order of records, up to the first one of the block behind the last, and by where the index says that records begin, unless two blocks have the same number of bytes and the same borders of records, or one changes places with blocks that lie inside of one record; a whole download checks size, head, end, index, and every checksum that its link host tells, and its report says which; with \`--check full\` every block and record
D3 | a web page, zeros, plain gzip under the name of a BAM | 65, no final name
D4 | a block that inflates to more than it may | refused without inflating it
D5 | block headers that lie; millions of empty blocks | typed, always forward, bounded
D6 | indexes that claim billions of entries, negative ones, any depth | typed within bounded memory
D7 | the index of another file, or of other columns than those of a VCF; chunks reversed or past the end | 65, and no file under its name
D8 | index and data of two versions | both are of one version, else the slice begins anew
D9 | headers and records that claim gigabytes | typed within bounded memory
D10 | odd region text; names with colons, commas and blanks | refused before the login (64), or its documented meaning
D11 | text made to hang a pattern | linear parsers: a megabyte takes no time
D12 | BED in every spelling, features without a base, and what is none | all spellings mean the same regions, and what has no base covers none; what is no BED is an error before the login
D13 | a region without reads | a sound file without records, 0
D14 | a slice that was cut in writing | never under its final name; one that is damaged later is cut out again
D15 | many regions at once; headers that say too little; records that span by END, SVLEN or LEN | the records that samtools and bcftools give, by the rule of the version of the file; the index of the slice serves all of them
D16 | no index in the listing; types in any case; \`S1.bai\` beside \`S1.bam\` | a slice needs one (65 or 66 that says so); case does not count; the names that htslib looks for are those of an index everywhere
D17 | one name in two analyses | 73 before a byte moves; \`--layout analysis\` keeps both
D18 | a header that samtools or bcftools refuses | 65 by \`svc-verify\` and \`--check full\`, with the line; what they only warn of is said, and is no damage

# Disk
K1 | the disk fills up | 74, not tried again, the part stays for the next run
K2 | the disk is too small from the start | 74 with numbers before a byte moves
K3 | quota, read-only, input/output errors, file size limit, too many open files | 74 in words; after a failed sync only what the last good one proved is resumed from
K4 | renaming across file systems | the unfinished file is always beside the final one; an error is 74 and leaves no final name
K5 | the destination is removed or moved meanwhile | 73, nothing is written elsewhere
K6 | permissions of the destination | 73 or 74 before a byte moves; files follow the umask
K7 | names of 255 bytes, other compositions or case | hidden names are shortened; names that may be one file collide, 73
K8 | a file system that cannot sync | tolerated: it promises no more than it does
K9 | an error at close | every sync comes before its close, so nothing depends on close: the data was acknowledged or the run failed
K10 | standard output, log or report that cannot be written; a reader that goes away | the files come all the same; report 74, \`head\` ends it quietly
K11 | the log is rotated or deleted | it goes on under its name
K12 | the unfinished file changes between two runs | each span is read once and compared with its CRC-32 in the journal; what differs, is missing or cannot be read is fetched again and no more, and a line says so

# Process
P1 | killed before or after any operation on the disk | final names whole, the next run ends well
P2 | power cut at any operation | the same
P3 | killed at random moments, several times in a row | converges; what was synced is not fetched again
P4 | SIGTERM, SIGINT, SIGHUP at any phase, twice | 143, 130, 129 within the grace; part kept, locks given back, logged out; the second ends at once
P5 | suspended for long, then continued | a lost lock is noticed before the restoration file is written; links are renewed by their answer
P6 | little memory | no file is ever in memory, whatever its size; killed for memory is P1
P7 | a defect | 1, one line without a secret, no final file
P8 | several runs of one file in one folder | one writes it, the others are told (69) or find it there
P9 | a run whose part was taken over comes back | it does not commit what is not its own
P10 | the parent dies and the orphan goes on beside the next run | as P8
P11 | thousands of files that all fail | work at a time stays bounded, the report has each in order
P12 | killed, and run again in another working folder | goes on from the destination, wherever it is run

# Clock
C1 | the clock jumps | waits count on the monotonic clock
C2 | client and service differ by days | the state of the service decides, not our clock
C3 | daylight saving, leap seconds, no or any TZ | UTC everywhere
C4 | an expiry judged by a wrong clock | only a hint: the answer decides

# Settings
G1 | a missing target, a wrong type or level, no such destination | the four messages of the contract, 64, before any request
G2 | command line, environment, file, default; empty variables; words for flags | that order; an empty variable is not set
G3 | configuration: readable by others, CRLF, unknown and doubled keys, enormous, a folder | a password that others may read and unknown keys earn a warning; what cannot be read is 78
G4 | proxy: invalid, of another kind, with credentials inside, NO_PROXY | 64 that repeats nothing of it; credentials are taken out
G5 | NODE_TLS_REJECT_UNAUTHORIZED=0, CA files | taken back with a warning; a CA file works

# Terminal
Y1 | no terminal for the password | 78 at once
Y2 | no or a poor terminal, NO_COLOR | plain lines; no escape code in a file
Y3 | the hidden prompt is interrupted or flooded | the echo comes back, 130
Y4 | escape codes, line ends and direction marks in text of the service | shown harmless in every output

# Paths and secrets
Z1 | names that leave the folder, hide, or are devices elsewhere | 73 for that file, nothing outside of the destination
Z2 | links planted at part, journal, final name, lock, log | not followed
Z3 | the destination is swapped during the run | noticed before the final name is given, 73
Z4 | a pipe, device or second name where the final file goes | pipes and devices are refused, 73; a second name (hard link) is harmless and common (published outputs): no existing file is ever written to, so the other name keeps its bytes
Z5 | secrets in any output, log, report, journal or error | none: hidden by value and by form, links included
Z6 | a password on the command line | works, warns, and leaves the process list
Z7 | diagnostic reports of Node | without the environment
Z8 | log, report, links or restoration file under the name of another file of the run, or of somebody's work | 64 before anything is touched, by whatever name or link; a report replaces reports, a log is appended to text
Z9 | a file of another size, or a checksum that does not fit, where the final file goes | left as it is: 73 \`differs\` with both sizes, 65 for the checksum; no checksum is written beside what was not compared
`

const read = (line: string): Fault => {
  const [id = "", fault = "", answer = "", untested = null] = line.split(" | ")
  return { id, fault, answer, untested }
}

/** In the order of the numbers. */
export const groups: ReadonlyArray<Group> = text
  .trim()
  .split("\n\n")
  .map((block) => {
    const [title = "", ...lines] = block.split("\n")
    return { title: title.replace("# ", ""), faults: lines.map(read) }
  })
