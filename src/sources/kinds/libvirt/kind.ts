/** libvirt: the host and its domains, by `virsh` on a client that pushes them. */
import { z } from 'zod'
import { line } from '../../../contract/fields/fields.ts'
import type { SourceKind } from '../source-kind.ts'
import { DEFAULT_URI, isLibvirtUri, URI_RULE } from './uri.ts'

export const libvirt: SourceKind = {
  kind: 'libvirt',
  title: 'libvirt (KVM, QEMU)',
  description:
    'A host with its virtual machines and routed networks, read by virsh on the host and pushed with plat source push',
  needs: 'a user on the client who may run virsh -r, such as a member of the group libvirt',
  isPushedOnly: true,
  secrets: [],
  options: [
    {
      name: 'uri',
      type: 'text',
      default: DEFAULT_URI,
      description: 'The URI of the libvirt, as the client reaches it',
      required: false,
    },
    {
      name: 'host',
      type: 'text',
      default: '',
      description: 'The id of the device that is the host, if it is in the inventory',
      required: false,
    },
  ],
  Options: z.strictObject({
    uri: z.string().refine(isLibvirtUri, URI_RULE).optional(),
    host: line(255).optional(),
  }),
  types: ['host', 'vm', 'network'],
  whenGone: 'decommission',
  goneAfterHours: 24,
  fetch: async (means) => (await import('./fetch.ts')).fetchLibvirt(means),
  test: async (means) => (await import('./fetch.ts')).testLibvirt(means),
  convert: async (snapshot, means) => (await import('./convert.ts')).convertLibvirt(snapshot, means),
}
