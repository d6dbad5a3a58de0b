/** Closes a gate in which a thread has died: it has come in and never leaves. */
import { DeflateGate } from "../../platform/threads/DeflateGate.ts"

const gate = new DeflateGate(undefined, 1)
gate.pass(() => gate.close())
