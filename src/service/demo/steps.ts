/** The steps by which the demo is loaded, in order: operations with their input. The files are in `examples/demo`. */
import cabling from '../../../examples/demo/cabling.json' with { type: 'json' }
import inventory from '../../../examples/demo/estate.json' with { type: 'json' }
import feeds from '../../../examples/demo/feeds.json' with { type: 'json' }
import recordings from '../../../examples/demo/recordings.json' with { type: 'json' }
import history from '../../../examples/demo/steps.json' with { type: 'json' }
import zones from '../../../examples/demo/zones.json' with { type: 'json' }
import { INVENTORY } from '../../inventory/resources.ts'
import type { Permission } from '../../kernel/operation.ts'

/** The owner of the objects. */
export const OWNER = 'demo'

type Input = Readonly<Record<string, unknown>>

export type DemoStep = {
  readonly operation: string
  readonly input: Input
  /** The note of a further change that undoes this one. */
  readonly undone?: string
}

const DOCUMENTS: Readonly<Record<string, Input>> = { 'estate.json': inventory, 'cabling.json': cabling }

/** A change of `steps.json`: a document that is applied, or another operation with its input. */
type Listed = {
  readonly operation: string
  readonly note: string
  readonly document?: string
  readonly input?: Input
  readonly undone?: string
}

const toStep = ({ operation, note, document, input = {}, undone }: Listed): DemoStep => ({
  operation,
  input: {
    ...(document === undefined ? input : { ...DOCUMENTS[document], managed_by: OWNER }),
    change_note: note,
  },
  ...(undone !== undefined && { undone }),
})

const toSteps = (operation: string, inputs: readonly Input[]): DemoStep[] =>
  inputs.map((input) => ({ operation, input }))

/** The first step makes most objects, or none. */
export const STEPS: readonly [DemoStep, ...DemoStep[]] = (() => {
  const [first, ...changes] = (history as readonly Listed[]).map(toStep)
  if (!first) throw new Error('the demo has no steps')
  return [
    first,
    ...changes,
    ...toSteps('scans.record', recordings),
    ...toSteps('dns-zones.create', zones),
    ...toSteps('feeds.create', feeds),
  ]
})()

export const FEED_IDS: readonly string[] = feeds.map(({ id }) => id)
export const ZONE_IDS: readonly string[] = zones.map(({ id }) => id)

/** The permissions of the objects in the documents. The operations of the steps have their own. */
export const CREATES: readonly Permission[] = INVENTORY.filter((resource) =>
  Object.values(DOCUMENTS).some((document) => Object.hasOwn(document, resource)),
).map((resource): Permission => `${resource}:create`)
