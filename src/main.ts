/** argv -> CLI. Nothing else. */
import { processIo } from './platform/cli/process-io.ts'

const { runCli } = await import('./cli.ts')
process.exit(await runCli(processIo()))
