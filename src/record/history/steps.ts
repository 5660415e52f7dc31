/** Runs steps that make, change and delete objects, by the rules of their kinds. The state after all of them counts. */
import { AppError } from '../../contract/errors.ts'
import { attempt } from '../../kernel/bulk/attempt.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ItemChange } from './api.ts'
import { type Kind, MAKE_ORDER } from './kind-names.ts'
import { KIND_RULES, type Lost, type Means, type StepMeans } from './kinds.ts'

/** An action on one object. `document` is the document of a new object, or the fields to be set. */
export type Step = Lost & { readonly kind: Kind; readonly change: ItemChange }

/** Objects that are made or deleted together. */
const AT_ONCE = 250
/** Steps may depend on each other. Refused steps are tried again after the others, this often at most. */
const MAX_PASSES = 10

/** Kinds that hold addresses, with the kinds that need them. */
const HOLDERS: ReadonlySet<Kind> = new Set(['device', 'port', 'cable', 'relationship', 'reservation', 'discovery-lock'])

/** True for an update that is made together with others of its kind. */
const isExchange = ({ change, kind, document }: Step): boolean => {
  const { exchange } = KIND_RULES[kind]
  return change === 'update' && exchange?.fields.some((field) => Object.hasOwn(document, field)) === true
}

const [holders, others] = [
  MAKE_ORDER.filter((kind) => HOLDERS.has(kind)),
  MAKE_ORDER.filter((kind) => !HOLDERS.has(kind)),
]

/** The order in which new objects of several kinds are made. */
export const CREATE_ORDER: readonly Kind[] = [...others, ...holders]

/** Addresses are freed before they are taken, so that no conflict is found between the steps. */
const sortSteps = (steps: readonly Step[]): Step[] => {
  const of = (change: ItemChange, kinds: readonly Kind[]) =>
    kinds.flatMap((kind) => steps.filter((one) => one.change === change && one.kind === kind))
  const updates = of('update', MAKE_ORDER)
  return [
    ...of('delete', holders.toReversed()),
    ...of(
      'create',
      others.filter((kind) => kind !== 'discovery-rule'),
    ),
    ...updates.filter((one) => !isExchange(one)),
    ...updates.filter(isExchange),
    ...of('create', [...holders, 'discovery-rule']),
    ...of('delete', others.toReversed()),
  ]
}

/** Yields neighbors that are written together; everything else separately. */
function* splitIntoGroups(steps: readonly Step[]): Generator<readonly Step[]> {
  for (let from = 0; from < steps.length; ) {
    const first = steps[from]
    if (!first) return
    const most = isExchange(first) ? steps.length : AT_ONCE
    let to = from + 1
    while (to < steps.length && to - from < most && areAlike(first, steps[to])) to++
    yield steps.slice(from, to)
    from = to
  }
}

const areAlike = (a: Step, b: Step | undefined): boolean =>
  b !== undefined && a.kind === b.kind && a.change === b.change && isExchange(a) === isExchange(b)

/** A step that a rule refuses. */
export type Refused = {
  readonly step: Step
  readonly error: AppError
  /** It has its effect, which must be undone with the whole transaction. */
  readonly isApplied?: true
}

export type Run = {
  readonly ctx: Ctx
  readonly means: Means
  /** Called after each group of steps, with the number of steps that were attempted. */
  readonly breathe: (attempted: number) => Promise<void>
}

type Pass = Run & { readonly means: StepMeans }

const runOne = ({ ctx, means }: Pass, { kind, id, change, document, isShared }: Step): Promise<unknown> => {
  const rules = KIND_RULES[kind]
  if (change === 'create') return rules.create(ctx, { id, document, isShared }, means)
  return change === 'update' ? rules.update(ctx, id, document, means) : rules.remove(ctx, id, means)
}

/** Runs a group at once, if its kind can. Returns false if nothing was done. */
const runTogether = async ({ ctx }: Run, group: readonly Step[]): Promise<boolean> => {
  const [first] = group
  if (!first || group.length === 1) return false
  const { createAll, removeAll } = KIND_RULES[first.kind]
  const work =
    first.change === 'create' && createAll
      ? () => createAll(ctx, group)
      : first.change === 'delete' && removeAll
        ? () =>
            removeAll(
              ctx,
              group.map(({ id }) => id),
            )
        : undefined
  return work !== undefined && !((await attempt(ctx, work, true)) instanceof AppError)
}

const runExchange = async ({ ctx }: Run, kind: Kind, group: readonly Step[]): Promise<Refused[]> => {
  const exchange = KIND_RULES[kind].exchange
  const errors = exchange ? await ctx.step(() => exchange.updateAll(ctx, group)) : []
  return group.flatMap((step, i) => {
    const error = errors[i]
    return error ? [{ step, error }] : []
  })
}

const runPass = async (run: Pass, steps: readonly Step[]): Promise<Refused[]> => {
  const refused: Refused[] = []
  let attempted = 0
  for (const group of splitIntoGroups(steps)) {
    const [first] = group
    if (first && isExchange(first)) refused.push(...(await runExchange(run, first.kind, group)))
    else if (!(await runTogether(run, group)))
      for (const step of group) {
        const outcome = await attempt(run.ctx, () => runOne(run, step), true)
        if (outcome instanceof AppError) refused.push({ step, error: outcome })
      }
    attempted += group.length
    await run.breathe(attempted)
  }
  return refused
}

const sets = (step: Step, ...fields: readonly string[]): boolean =>
  step.change === 'update' && fields.some((field) => Object.hasOwn(step.document, field))

/** True for an update that changes the bounds of a network or pool, or the network of a pool. */
const isRedrawn = (step: Step): boolean =>
  (step.kind === 'network' && sets(step, 'subnet')) ||
  (step.kind === 'pool' && sets(step, 'start_ip', 'end_ip', 'network_id'))

/** Returns the pools and devices that change together with the bounds of their networks and pools. */
const listMovingIds = (steps: readonly Step[], redrawn: readonly Step[]): ReadonlySet<string> => {
  if (redrawn.length === 0) return new Set()
  const devices = steps.filter((step) => step.kind === 'device' && sets(step, 'addresses'))
  return new Set([...redrawn, ...devices].map(({ id }) => id))
}

/** Returns the networks and pools that others are outside of after all steps. */
const findOutsideAtEnd = async ({ ctx }: Run, redrawn: readonly Step[]): Promise<Refused[]> => {
  const refused: Refused[] = []
  for (const step of redrawn) {
    const outcome = await attempt(ctx, async () => KIND_RULES[step.kind].requireInside?.(ctx, step.id), true)
    if (outcome instanceof AppError) refused.push({ step, error: outcome, isApplied: true })
  }
  return refused
}

/**
 * Runs all steps in the transaction of `run.ctx`. Returns the steps that a rule refuses. They have no effect, except for `isApplied`. A
 * network, its pools and their addresses may move together.
 */
export const runSteps = async (run: Run, steps: readonly Step[]): Promise<Refused[]> => {
  const redrawn = steps.filter(isRedrawn)
  const moving = listMovingIds(steps, redrawn)
  const pass: Pass = { ...run, means: { ...run.means, moving } }
  let left = sortSteps(steps)
  for (let passes = 1; ; passes++) {
    const refused = await runPass(pass, left)
    if (refused.length === 0 || refused.length === left.length || passes === MAX_PASSES) {
      const failed = new Set(refused.map(({ step }) => step))
      const done = moving.size > redrawn.length || redrawn.length > 1 ? redrawn.filter((step) => !failed.has(step)) : []
      return [...refused, ...(await findOutsideAtEnd(run, done))]
    }
    left = refused.map(({ step }) => step)
  }
}
