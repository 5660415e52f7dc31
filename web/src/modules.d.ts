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
