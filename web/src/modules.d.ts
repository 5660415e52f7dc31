/** What Vite makes of files that are no TypeScript. */
declare module '*.css'

declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  // biome-ignore lint/style/noDefaultExport: the form that Vite gives CSS modules
  export default classes
}

declare module '*?worker&url' {
  const url: string
  // biome-ignore lint/style/noDefaultExport: the form that Vite gives workers
  export default url
}

/** Made by web/build.ts out of the registry: each operation without its schemas. */
declare module 'virtual:operations' {
  import type { SlimContracts } from './api/contracts.ts'
  export const contracts: SlimContracts
}

/** Made by web/build.ts too: what a command line needs of each operation, by its name. */
declare module 'virtual:commands' {
  export type CommandFacts = {
    readonly cli?: { readonly command?: string; readonly args?: readonly string[] }
    readonly fields: Readonly<
      Record<
        string,
        {
          readonly ref?: string
          readonly choices: readonly string[]
          readonly isNumber: boolean
          readonly isList: boolean
        }
      >
    >
    readonly secrets: readonly string[]
  }
  export const commands: Readonly<Record<string, CommandFacts>>
}

/** Whether the build has the page of all components; see web/build.ts. */
declare const __STORIES__: boolean
