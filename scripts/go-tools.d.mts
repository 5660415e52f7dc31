// Types of go-tools.mjs, which is plain JavaScript because Node 20 runs it before Bun is there.

/** The path of a tool, which need not be there. */
export function goTool(name: 'etcd' | 'helm' | 'litestream'): string
/** The folder of the programs in Go that test a subject. */
export function getProgramsFolder(name: 'netbox' | 'sources'): string
/** The Go on PATH, or that from PyPI. */
export function findGo(): string
