/** The contract of the demo: an example inventory that is loaded, shown to be there, and removed. Browser-safe. */
import { z } from 'zod'
import { operation } from '../../kernel/operation.ts'

export const DemoState = z
  .object({
    loaded: z.boolean(),
    objects: z.int().describe('Objects of the inventory that the owner `demo` manages'),
  })
  .meta({ id: 'DemoState' })
export type DemoState = z.infer<typeof DemoState>

export const demo = {
  show: operation({
    name: 'demo.show',
    summary: 'Show whether the demo is loaded',
    http: 'GET /api/demo',
    access: 'authenticated',
    input: () => z.object({}),
    output: DemoState,
  }),
  load: operation({
    name: 'demo.load',
    summary: 'Load the demo: three sites with racks, cables and 77 devices, an inbox, feeds, DNS zones and a history',
    description:
      'The objects belong to the owner `demo`, and their ids begin with `demo-`. It needs the right to each of its writes, everywhere. 409 `ALREADY_EXISTS` if it is loaded, `IN_USE` if the inventory has other objects and `force` is false. No packet is sent.',
    http: 'POST /api/demo',
    status: 201,
    effect: 'action',
    hasOwnTransactions: true,
    isLong: true,
    access: 'authenticated',
    input: () =>
      z.object({ force: z.boolean().default(false).describe('Loads it beside the other objects of the inventory') }),
    output: () =>
      z.object({
        change_ids: z.array(z.string()).describe('Its changes in the history, oldest first'),
        counts: z.record(z.string(), z.int()).describe('How many objects were made, by their kind'),
      }),
  }),
  remove: operation({
    name: 'demo.remove',
    summary: 'Remove the demo: all that the owner `demo` manages, its feeds and its DNS zones, in one change',
    description:
      'What is in it goes along, such as the pools of its networks. It needs the right to each deletion. 404 if the demo is not loaded.',
    http: 'DELETE /api/demo',
    hasHistory: true,
    // It deletes feeds and zones as well.
    proposes: false,
    isLong: true,
    access: 'authenticated',
    input: () => z.object({}),
    output: () => z.void(),
  }),
}
