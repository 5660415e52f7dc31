/** The command line of Plat, put together: the registry of contracts and the commands that are no operations. */
import packageJson from '../package.json' with { type: 'json' }
import { estateCommands } from './features/estate/cli-commands.ts'
import { CLIENT_COMMANDS } from './platform/cli/client-commands.ts'
import type { Program } from './platform/cli/command.ts'
import { offlineCommands } from './platform/cli/offline-commands.ts'
import { createCli } from './platform/cli/run.ts'
import { recoveryCommands } from './recovery/commands.ts'

export const program: Program = {
  version: packageJson.version,
  contracts: async () => (await import('./features/index.ts')).contracts,
  specials: [
    ...CLIENT_COMMANDS,
    ...estateCommands,
    ...offlineCommands(() => import('./server.ts')),
    ...recoveryCommands,
  ],
}

export const runCli = createCli(program)
