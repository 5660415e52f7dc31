/** `plat discovery scan`, which can wait for the end of the scan, and `plat discovery leases`, which reads a file. They are loaded when they run. */
import { LEASE_FORMATS } from '../../../net/leases/lease.ts'
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
  {
    words: ['discovery', 'leases'],
    summary: 'Record the leases of a DHCP server as discovered devices',
    description:
      'FILE is the lease file of Kea, dnsmasq or ISC dhcpd, or an answer of Kea; - is standard input. Leases that are over change nothing, and nothing is set down. Invalid lines are printed to standard error, and the others are taken.',
    notes: ['Route:  POST /api/discovery/leases', 'Needs:  discovery:create'],
    spec: () => ({
      args: [argument('file', 'The file, or - for standard input', { hint: 'FILE' })],
      flags: [
        flag('format', 'By default it is recognised', { hint: 'FORMAT', choices: ['auto', ...LEASE_FORMATS] }),
        flag('space', 'The address space of the leases; the default one without it', { hint: 'SPACE', ref: 'spaces' }),
      ],
    }),
    run: async (session, texts) => (await import('./leases.ts')).recordLeases(session, texts),
  },
]
