// Types of go-tools.mjs, which is plain JavaScript because Node 20 runs it before Bun is there.

/** The path of a tool, which need not be there. */
export function goTool(name: 'etcd' | 'helm' | 'litestream'): string
/** The folder of the programs that use the Go clients of NetBox. */
export const netboxProgramsFolder: string
/** The Go on PATH, or that from PyPI. */
export function findGo(): string
