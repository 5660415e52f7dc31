/** Proxmox VE: nodes, QEMU guests and containers, by its API and a token. */
import { z } from 'zod'
import type { SourceKind } from '../source-kind.ts'

export const proxmox: SourceKind = {
  kind: 'proxmox',
  title: 'Proxmox VE',
  description:
    'Nodes, virtual machines and containers of a node or a cluster, and the networks of its bridges and VLANs',
  needs:
    'the role PVEAuditor on / for the user, and for the token if its privileges are separated; for the addresses of virtual ' +
    'machines also VM.GuestAgent.Audit, before Proxmox VE 9 VM.Monitor',
  secrets: [
    { name: 'token', description: 'The API token with its secret, as user@realm!tokenid=secret', required: true },
  ],
  options: [
    {
      name: 'networks',
      type: 'flag',
      default: true,
      description: 'Read the networks of bridges and VLANs in which a node has an address',
      required: false,
    },
  ],
  Options: z.strictObject({ networks: z.boolean().optional() }),
  types: ['host', 'vm', 'container', 'network'],
  whenGone: 'decommission',
  goneAfterHours: 24,
  fetch: async (means) => (await import('./fetch.ts')).fetchProxmox(means),
  test: async (means) => (await import('./fetch.ts')).testProxmox(means),
  convert: async (snapshot, means) => (await import('./convert.ts')).convertProxmox(snapshot, means),
}
