/** `plat discovery scan`: as the operation of that name, and with --watch until the scan has ended. What it does is loaded when it runs. */
import { argument, type Command, flag } from '../../../platform/cli/command.ts'

const TYPES = ['quick', 'full', 'deep']

export const discoveryCommands: readonly Command[] = [
  {
    words: ['discovery', 'scan'],
    summary: 'Scan a network; a second scan of the same network waits for the first',
    description:
      'With --watch it stays until the scan has ended, shows hosts as they are found, and exits with 0 only for a scan that was completed. Ctrl-C ends the watching, not the scan.',
    notes: ['Route:  POST /api/discovery/networks/{id}/scan', 'Needs:  discovery:create'],
    spec: () => ({
      args: [argument('id', 'The network', { ref: 'networks' })],
      flags: [
        {
          ...flag('type', 'quick: hosts; full: also ports and systems; deep: also services', {
            hint: 'TYPE',
            choices: TYPES,
          }),
          names: ['type', 'scan-type'],
        },
        flag('exclude-ips', 'Never probed: addresses, ranges and CIDRs, comma-separated', { hint: 'LIST' }),
        flag('dry-run', 'Print the estimate, and start nothing'),
        flag('watch', 'Wait for the end, and show the hosts found'),
      ],
    }),
    run: async (session, texts) => (await import('./scan.ts')).scan(session, texts),
  },
]
