/** The server's process does without the engine's heaviest compiler: docs/decisions/compilers.md. */

/** Flags that the engine reads at start, before any code runs. A flag that is set in the environment stays. */
export const SERVER_JIT_FLAGS = { BUN_JSC_useFTLJIT: 'false' } as const

/** This program again: an executable is its own main file. */
const ownArguments = (): string[] => [
  process.execPath,
  ...process.execArgv,
  ...process.argv.slice(Bun.isStandaloneExecutable ? 2 : 1),
]

/** Becomes the same program with those settings, in the same process (about 6 ms). Windows cannot do that: there it goes on as it is. */
export const becomeServerProcess = (): void => {
  if (process.platform === 'win32') return
  if (Object.keys(SERVER_JIT_FLAGS).every((name) => process.env[name] !== undefined)) return
  try {
    process.execve?.(process.execPath, ownArguments(), { ...SERVER_JIT_FLAGS, ...process.env })
  } catch {
    // It may not run programs, or its file was replaced: it goes on with all compilers.
  }
}
