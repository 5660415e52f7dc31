/** The datacenters contract. Browser-safe. */
import { z } from 'zod'
import { idOf, Page } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { Device } from '../devices/schema.ts'
import { datacenterFacts } from './resource.ts'

const base = crud(datacenterFacts, {
  filters: {
    parent_id: idOf('datacenters')
      .optional()
      .describe('Only those directly below this one; empty for those at the top'),
    within: idOf('datacenters').optional().describe('This one and all below it'),
  },
})
export const Datacenter = base.Item
export type Datacenter = z.infer<typeof base.Item>

export const datacenters = {
  ...base.operations,
  devices: operation({
    name: 'datacenters.devices',
    summary: 'List the devices of a datacenter',
    http: 'GET /api/datacenters/{id}/devices',
    supportsAsOf: true,
    access: 'devices:list',
    scope: 'filter',
    shows: ['datacenters'],
    input: () => z.object({ id: idOf('datacenters'), ...Page }),
    output: () => z.array(Device),
  }),
}
