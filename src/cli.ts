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
import { offlineCommands } from './platform/cli/offline-commands.ts'
import { createCli } from './platform/cli/run.ts'
import { VERSION } from './platform/runtime/version.ts'
import { recoveryCommands } from './recovery/commands.ts'

/** Started by the server for a scan; users do not run it. */
const scannerChild: Command = {
  words: ['scanner-child'],
  summary: 'Run one scan for the server that started this process',
  isHidden: true,
  spec: () => ({ args: [], flags: [] }),
  run: async () => (await import('./scanner/child.ts')).runScannerChild(),
}

/** Started by the server for a template; users do not run it. */
const templateChild: Command = {
  words: ['template-child'],
  summary: 'Render one template for the server that started this process',
  isHidden: true,
  spec: () => ({ args: [], flags: [] }),
  run: async () => (await import('./template/child.ts')).runTemplateChild(),
}

/** Started by the server for a file of another program; users do not run it. */
const convertChild: Command = {
  words: ['convert-child'],
  summary: 'Convert one file for the server that started this process',
  isHidden: true,
  spec: () => ({ args: [], flags: [] }),
  run: async () => (await import('./features/estate/convert/child.ts')).runConvertChild(),
}

/** Started by the server for YAML of the community library; users do not run it. */
const deviceTypesChild: Command = {
  words: ['device-types-child'],
  summary: 'Read device types for the server that started this process',
  isHidden: true,
  spec: () => ({ args: [], flags: [] }),
  run: async () => (await import('./features/device-types/library-child.ts')).runLibraryChild(),
}

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
    ...offlineCommands(() => import('./server.ts')),
    ...recoveryCommands,
    ...movingCommands,
    scannerChild,
    templateChild,
    convertChild,
    deviceTypesChild,
  ],
}

export const runCli = createCli(program)
