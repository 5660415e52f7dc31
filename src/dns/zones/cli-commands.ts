/** `plat dns zone check`: as the operation of that name, with the result as its exit code. The implementation is loaded when it runs. */
import { type Command, createArgument } from '../../surfaces/cli/parse/command.ts'

export const dnsCommands: readonly Command[] = [
  {
    words: ['dns', 'zone', 'check'],
    summary: 'Transfer a DNS zone from its server, and compare it: exit 0 without drift, 5 with drift',
    description: 'Drift is RRsets of Plat that are missing on the server or have other values or another TTL there.',
    notes: ['Route:  POST /api/dns/zones/{id}/check', 'Needs:  dns:sync'],
    spec: () => ({ args: [createArgument('id', 'The zone', { ref: 'dns-zones' })], flags: [] }),
    run: async (session, texts) => (await import('./cli-check.ts')).runCheck(session, texts),
  },
]
