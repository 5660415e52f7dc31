/** The server's process does without the engine's heaviest compiler: docs/decisions/build.md#without-the-compiler-ftl. */

/**
 * Flags that the engine reads at start, before any code runs. A flag that is set in the environment stays. `./plat`,
 * scripts/start.mjs, the systemd unit and the Dockerfile set them too.
 */
export const SERVER_JIT_FLAGS = { BUN_JSC_useFTLJIT: 'false' } as const

/**
 * Restarts a single executable with the flags that its environment lacks, in the same process. Only an executable that is
 * started directly needs this. On Windows, which has no `execve`, it continues as it is.
 */
export const restartWithJitFlags = (): void => {
  if (!Bun.isStandaloneExecutable || process.platform === 'win32') return
  if (Object.keys(SERVER_JIT_FLAGS).every((name) => process.env[name] !== undefined)) return
  try {
    // An executable is its own main file, so its arguments begin one later.
    const args = [process.execPath, ...process.execArgv, ...process.argv.slice(2)]
    process.execve?.(process.execPath, args, { ...SERVER_JIT_FLAGS, ...process.env })
  } catch {
    // It may not run programs, or its file was replaced: it continues with all compilers.
  }
}
