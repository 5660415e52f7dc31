/**
 * Runs the command line. The version is printed without it, because streams and commands are most of the cost of a
 * start.
 */
import { writeSync } from 'node:fs'
import packageJson from '../package.json' with { type: 'json' }
import { restartWithJitFlags } from './base/runtime/jit-flags.ts'

const [word] = process.argv.slice(2)
if (word === '--version' || word === '-V') {
  try {
    writeSync(1, `plat ${packageJson.version}\n`)
    process.exit(0)
  } catch {
    // The reader has gone, or the disk is full: the command line reports it like any other error.
  }
}
if (word === 'serve' || word === 'server') restartWithJitFlags()
const [{ processIo }, { runCli }] = await Promise.all([import('./surfaces/cli/process-io.ts'), import('./app/cli.ts')])
process.exit(await runCli(processIo()))
