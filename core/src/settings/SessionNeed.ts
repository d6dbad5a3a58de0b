/** A links file takes the place of the service: nobody logs in. Without imports, as the help needs nothing more. */
export const readsLinks = (settings: { readonly fromLinks: string | null }): boolean => settings.fromLinks !== null
