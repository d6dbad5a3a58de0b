/** `svc-doctor`: what it is called and how it is used; the program itself is loaded when it runs. */
import { analysisOperands } from "../main/Options.ts"
import type { LocalStep } from "../main/Step.ts"
import { options } from "./DoctorOptions.ts"

/** Local, since it must also work, and say why, when target or credentials are missing. */
export const doctorStep: LocalStep = {
  name: "doctor",
  service: false,
  summary: "Tell what is wrong with settings, network, login, clock, lock folder and disk",
  operands: analysisOperands,
  options,
  examples: [
    { command: "-t https://lab.example.org", says: "everything from the settings to a login and one harmless request" },
    { command: "-t https://lab.example.org -a A1", says: "also whether files can be fetched in parts" },
    { command: "--config svc.json --format json", says: "for a monitoring system: 0 when nothing fails" }
  ],
  load: () => import("../main/Programs.ts").then(({ doctor }) => doctor)
}
