/** Whether this is the long form of a test (`npm run e2e`), which looks at everything where the short one looks at some of it. */
export const longForm: boolean = process.env["SVC_LONG_FORM"] === "1"
