// Types of server-binaries.mjs, which is plain JavaScript because Node 20 runs it before Bun is there.

export function findPostgres(): { postgres: string; initdb: string; basebackup: string } | undefined
export function findValkey(): string | undefined
export function findChromium(): string | undefined
export function findStrace(): string | undefined
/** A program by its name: `zsh`, `openssl`. */
export function findProgram(name: string): string | undefined
/** A tool of the network lab or of the tests: `nft`, `named`. */
export function findTool(name: string): string | undefined
