/** The contract of VLANs. Browser-safe. */
import { z } from 'zod'
import { matchWhole } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { NEXT_PATTERN, nameNext, parseNext } from '../../resource/custom/next-text.ts'
import { vlanFacts } from './resource.ts'

const { min, max } = vlanFacts.fields.vlan_id

export const vlanCrud = crud(vlanFacts)

const Next = z
  .string()
  .trim()
  .refine((text) => parseNext(text) !== undefined, { error: `must be ${min} to ${max}, next, or next:100-199` })
  .meta({ exact: { pattern: matchWhole(NEXT_PATTERN) } })

const VlanNumber = z
  .union([z.int().min(min).max(max), Next], { error: `must be ${min} to ${max}, next, or next:100-199` })
  .describe('The VLAN number; `next` or `next:100-199` for the next free one of the datacenter and the group')

export const vlans = {
  ...vlanCrud.operations,
  create: operation({
    name: 'vlans.create',
    summary: vlanFacts.summaries.create,
    http: 'POST /api/vlans',
    status: 201,
    effect: 'create',
    access: 'vlans:create',
    hasHistory: true,
    scope: 'checkWrite',
    cli: { args: vlanFacts.args },
    serializeBy: ({ vlan_id, datacenter_id, group, ...input }) =>
      typeof vlan_id === 'string' ? `next ${datacenter_id ?? ''} ${group}` : nameNext(input),
    input: vlanCrud.Draft.extend({ vlan_id: VlanNumber }),
    output: vlanCrud.Item,
  }),
}
