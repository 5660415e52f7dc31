/** `plat discovery scan`, which can wait for the end of the scan, and `plat discovery leases`, which reads a file. They are loaded when they run. */
import { LEASE_FORMATS } from '../../net/leases/lease.ts'
import { type Command, createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'

const TYPES = ['quick', 'full', 'deep']

export const discoveryCommands: readonly Command[] = [
  {
    words: ['discovery', 'scan'],
    summary: 'Scan a network; a second one waits for the first',
    description:
      'With --watch it stays until the scan has ended, shows hosts as they are found, and exits with 0 only for a scan that was completed. Ctrl-C ends the watching, not the scan.',
    notes: ['Route:  POST /api/discovery/networks/{id}/scan', 'Needs:  discovery:create'],
    spec: () => ({
      args: [createArgument('id', 'The network', { ref: 'networks' })],
      flags: [
        {
          ...createFlag('type', 'quick: hosts; full: also ports and systems; deep: also services', {
            hint: 'TYPE',
            choices: TYPES,
          }),
          names: ['type', 'scan-type'],
        },
        createFlag('exclude-ips', 'Never probed: addresses, ranges and CIDRs, comma-separated', { hint: 'LIST' }),
        createFlag('dry-run', 'Print the estimate, and start nothing'),
        createFlag('watch', 'Wait for the end, and show the hosts found'),
      ],
    }),
    run: async (session, texts) => (await import('./scan.ts')).scan(session, texts),
  },
  {
    words: ['discovery', 'leases'],
    summary: 'Record the leases of a DHCP server as discovered devices',
    description:
      'FILE is the lease file of Kea, dnsmasq or ISC dhcpd, or an answer of Kea; - is standard input. Leases that are over change nothing, and nothing is set down. Invalid lines are printed to standard error, and the others are taken.',
    notes: ['Route:  POST /api/discovery/leases', 'Needs:  discovery:create'],
    spec: () => ({
      args: [createArgument('file', 'The file, or - for standard input', { hint: 'FILE' })],
      flags: [
        createFlag('format', 'By default it is recognized', { hint: 'FORMAT', choices: ['auto', ...LEASE_FORMATS] }),
        createFlag('space', 'The address space of the leases; the default one without it', {
          hint: 'SPACE',
          ref: 'spaces',
        }),
      ],
    }),
    run: async (session, texts) => (await import('./leases.ts')).recordLeases(session, texts),
  },
]
