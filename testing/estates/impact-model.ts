/** A plain model of impact, word by word from its rules and without care for time. */

export type ModelEdge = { readonly parent: string; readonly child: string; readonly type: string }
export type ModelEstate = {
  readonly ids: readonly string[]
  readonly retired: ReadonlySet<string>
  readonly edges: readonly ModelEdge[]
}
export type ModelEffect = {
  readonly effect: 'failed' | 'stops' | 'cut_off'
  readonly depth: number
  readonly because: { readonly device_id: string; readonly type: string } | null
}

const TYPES = ['contains', 'depends_on', 'connected_to']

/** Returns the neighbors by which a device would follow, with the type of each. */
const listCauses = ({ edges }: ModelEstate, id: string, effect: string) =>
  TYPES.flatMap((type) =>
    edges.flatMap((edge) => {
      if (edge.type !== type || (type === 'connected_to') !== (effect === 'cut_off')) return []
      const causes: { readonly device_id: string; readonly type: string }[] = []
      if (type !== 'depends_on' && edge.child === id) causes.push({ device_id: edge.parent, type })
      if (type !== 'contains' && edge.parent === id) causes.push({ device_id: edge.child, type })
      return causes
    }),
  )

/** Returns the connected components of some devices. */
const listParts = ({ edges }: ModelEstate, present: ReadonlySet<string>): Set<string>[] => {
  const parts: Set<string>[] = []
  for (const first of present) {
    if (parts.some((part) => part.has(first))) continue
    const part = new Set([first])
    for (let size = 0; size !== part.size; ) {
      size = part.size
      for (const { parent, child, type } of edges)
        if (
          type === 'connected_to' &&
          present.has(parent) &&
          present.has(child) &&
          (part.has(parent) || part.has(child))
        )
          part.add(parent).add(child)
    }
    parts.push(part)
  }
  return parts
}

/** Returns the devices of a component that lose their connection. */
const listCutOff = (parts: readonly ReadonlySet<string>[]): string[] => {
  const goesOn = parts.filter(
    (part) => part.size >= 2 && parts.every((other) => other === part || other.size < part.size),
  )
  return parts.filter((part) => !goesOn.includes(part)).flatMap((part) => [...part])
}

type Asked = {
  readonly failed: readonly string[]
  readonly cutOff?: readonly string[]
  readonly types?: readonly string[]
}

/** Keeps the relationships of these types between devices that are not decommissioned, or are named. */
const restrict = ({ ids, retired, edges }: ModelEstate, { failed, types = TYPES }: Asked): ModelEstate => {
  const present = ids.filter((id) => !retired.has(id) || failed.includes(id))
  return {
    ids: present,
    retired: new Set(),
    edges: edges.filter(
      ({ parent, child, type }) => types.includes(type) && present.includes(parent) && present.includes(child),
    ),
  }
}

export const modelImpact = (whole: ModelEstate, asked: Asked): Map<string, ModelEffect> => {
  const estate = restrict(whole, asked)
  const effects = new Map<string, ModelEffect['effect']>()
  const alone = new Set<string>()
  for (const id of asked.failed) effects.set(id, 'failed')
  for (const id of asked.cutOff ?? [])
    if (!effects.has(id)) {
      effects.set(id, 'cut_off')
      alone.add(id)
    }
  const before = listParts(estate, new Set(estate.ids))
  for (let size = -1; size !== effects.size; ) {
    for (let stopped = -1; stopped !== effects.size; ) {
      stopped = effects.size
      for (const id of estate.ids)
        if (!effects.has(id) && listCauses(estate, id, 'stops').some(({ device_id }) => effects.has(device_id)))
          effects.set(id, 'stops')
    }
    size = effects.size
    const left = estate.ids.filter((id) => effects.get(id) !== 'failed' && effects.get(id) !== 'stops')
    const after = listParts(estate, new Set(left))
    for (const component of before) {
      const parts = after.filter((part) => [...part].every((id) => component.has(id)))
      const remaining = parts.reduce((sum, part) => sum + part.size, 0)
      if (remaining === component.size || !estate.edges.some(({ type }) => type === 'connected_to')) continue
      for (const id of listCutOff(parts)) if (!effects.has(id)) effects.set(id, 'cut_off')
    }
  }
  return addDepths(estate, effects, alone)
}

const addDepths = (
  estate: ModelEstate,
  effects: ReadonlyMap<string, ModelEffect['effect']>,
  alone: ReadonlySet<string>,
): Map<string, ModelEffect> => {
  const found = new Map<string, ModelEffect>()
  for (const [id, effect] of effects)
    if (effect === 'failed') found.set(id, { effect, depth: 0, because: null })
    else if (alone.has(id)) found.set(id, { effect, depth: 1, because: null })
  for (let depth = 1; found.size < effects.size; depth++)
    for (const [id, effect] of effects) {
      if (found.has(id)) continue
      const [first] = listCauses(estate, id, effect)
        .filter(({ device_id }) => found.get(device_id)?.depth === depth - 1)
        .sort((a, b) => Number(a.device_id > b.device_id) - Number(a.device_id < b.device_id))
      if (first) found.set(id, { effect, depth, because: first })
    }
  return found
}

/** Counts for each device the devices that follow it by dependencies only, and by links only. */
export const modelSinglePoints = (whole: ModelEstate, types: readonly string[] = TYPES) => {
  const estate = restrict(whole, { failed: [], types })
  return estate.ids.map((id) => {
    const stops = new Set([id])
    for (let size = 0; size !== stops.size; ) {
      size = stops.size
      for (const one of estate.ids)
        if (listCauses(estate, one, 'stops').some(({ device_id }) => stops.has(device_id))) stops.add(one)
    }
    const component = listParts(estate, new Set(estate.ids)).find((part) => part.has(id)) ?? new Set([id])
    const parts = listParts(estate, component.difference(new Set([id])))
    const isLinked = estate.edges.some(({ type }) => type === 'connected_to')
    return { id, stops: stops.size - 1, cut_off: isLinked ? listCutOff(parts).length : 0 }
  })
}
