/** Assembles the command line of Plat from the registry of contracts and the commands that are not operations. */

import { lookupCommands } from '../answers/lookup/cli-commands.ts'
import { VERSION } from '../base/runtime/version.ts'
import { discoveryCommands } from '../discovery/cli/commands.ts'
import { dnsCommands } from '../dns/zones/cli-commands.ts'
import { estateCommands } from '../exchange/cli/cli-commands.ts'
import { feedCommands } from '../exchange/feeds/cli-commands.ts'
import { deviceTypeCommands } from '../inventory/device-types/cli-commands.ts'
import { networkCommands } from '../inventory/networks/cli-commands.ts'
import { eventCommands } from '../record/events/cli-commands.ts'
import { scannerCommands } from '../scanner/daemon/cli-commands.ts'
import { movingCommands } from '../service/database-copy/commands.ts'
import { demoCommands } from '../service/demo/cli-commands.ts'
import { recoveryCommands } from '../service/recovery/commands.ts'
import { sourceCommands } from '../sources/cli/commands.ts'
import { CLIENT_COMMANDS } from '../surfaces/cli/client-commands.ts'
import { createOfflineCommands } from '../surfaces/cli/offline-commands.ts'
import type { Command, Program } from '../surfaces/cli/parse/command.ts'
import { createCli } from '../surfaces/cli/run.ts'

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
    (await import('../scanner/child.ts')).runScannerChild(),
  ),
  createChildCommand('template-child', 'Render one template', async () =>
    (await import('../template/child.ts')).runTemplateChild(),
  ),
  createChildCommand('convert-child', 'Convert one file', async () =>
    (await import('../convert/child.ts')).runConvertChild({
      loadRowSchemas: () => import('../inventory/sheets.ts'),
    }),
  ),
  createChildCommand('device-types-child', 'Read device types', async () =>
    (await import('../inventory/device-types/library-child.ts')).runLibraryChild(),
  ),
  createChildCommand('leases-child', 'Read leases', async () =>
    (await import('../discovery/leases/child.ts')).runLeasesChild(),
  ),
  createChildCommand('source-child', 'Read one source', async () =>
    (await import('../sources/child.ts')).runSourceChild(),
  ),
]

export const program: Program = {
  version: VERSION,
  contracts: async () => (await import('./contracts.ts')).contracts,
  serverNouns: {
    find: async (asked, word) => (await import('../inventory/kinds/cli-nouns.ts')).findNoun(asked, word),
    list: async (asked) => (await import('../inventory/kinds/cli-nouns.ts')).listNouns(asked),
  },
  extended: async () => (await import('../sources/cli/operation-commands.ts')).sourceOperationCommands,
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
    ...scannerCommands,
    ...sourceCommands,
    ...createOfflineCommands(() => import('./server.ts')),
    ...recoveryCommands,
    ...movingCommands,
    ...childCommands,
  ],
}

export const runCli = createCli(program)
