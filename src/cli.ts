/** Assembles the command line of Plat from the registry of contracts and the commands that are not operations. */
import { movingCommands } from './database-copy/commands.ts'
import { demoCommands } from './demo/cli-commands.ts'
import { deviceTypeCommands } from './features/device-types/cli-commands.ts'
import { discoveryCommands } from './features/discovery/cli/commands.ts'
import { dnsCommands } from './features/dns-zones/cli-commands.ts'
import { estateCommands } from './features/estate/cli-commands.ts'
import { eventCommands } from './features/events/cli-commands.ts'
import { feedCommands } from './features/feeds/cli-commands.ts'
import { lookupCommands } from './features/lookup/cli-commands.ts'
import { networkCommands } from './features/networks/cli-commands.ts'
import { CLIENT_COMMANDS } from './platform/cli/client-commands.ts'
import type { Command, Program } from './platform/cli/command.ts'
import { createOfflineCommands } from './platform/cli/offline-commands.ts'
import { createCli } from './platform/cli/run.ts'
import { VERSION } from './platform/runtime/version.ts'
import { recoveryCommands } from './recovery/commands.ts'

/** A command that the server starts as a process of its own; users do not run it. */
const createChildCommand = (word: string, summary: string, run: () => Promise<number>): Command => ({
  words: [word],
  summary: `${summary} for the server that started this process`,
  isHidden: true,
  spec: () => ({ args: [], flags: [] }),
  run,
})

const childCommands: readonly Command[] = [
  createChildCommand('scanner-child', 'Run one scan', async () =>
    (await import('./scanner/child.ts')).runScannerChild(),
  ),
  createChildCommand('template-child', 'Render one template', async () =>
    (await import('./template/child.ts')).runTemplateChild(),
  ),
  createChildCommand('convert-child', 'Convert one file', async () =>
    (await import('./convert/child.ts')).runConvertChild({
      loadRowSchemas: () => import('./features/estate/apply/resources.ts'),
    }),
  ),
  createChildCommand('device-types-child', 'Read device types', async () =>
    (await import('./features/device-types/library-child.ts')).runLibraryChild(),
  ),
  createChildCommand('leases-child', 'Read leases', async () =>
    (await import('./features/discovery/leases/child.ts')).runLeasesChild(),
  ),
]

export const program: Program = {
  version: VERSION,
  contracts: async () => (await import('./features/index.ts')).contracts,
  specials: [
    ...CLIENT_COMMANDS,
    ...estateCommands,
    ...demoCommands,
    ...deviceTypeCommands,
    ...discoveryCommands,
    ...dnsCommands,
    ...eventCommands,
    ...feedCommands,
    ...lookupCommands,
    ...networkCommands,
    ...createOfflineCommands(() => import('./server.ts')),
    ...recoveryCommands,
    ...movingCommands,
    ...childCommands,
  ],
}

export const runCli = createCli(program)
