/** Files that are imported for their path. */
declare module '*.bin' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: it is what such an import gives
  export default path
}
