/** Regions, site groups, sites and locations become datacenters, one below another. */
import type { EstateRow } from '../converter.ts'
import type { Line } from '../report-builder.ts'
import { compact } from '../rows/row-text.ts'
import {
  addRow,
  listLines,
  type Mapping,
  type PlaceTree,
  type Reading,
  type RowRef,
  toRef,
  toRefs,
  toText,
} from './mapping.ts'
import type { Target } from './model.ts'
import type { NetboxObject } from './read/objects.ts'

export const REGION = 'dcim.region'
export const SITE_GROUP = 'dcim.sitegroup'
export const SITE = 'dcim.site'
export const LOCATION = 'dcim.location'

/** The kinds of places, and their words in `place_type`. */
export const PLACE_TYPES: Readonly<Record<string, string>> = {
  [REGION]: 'region',
  [SITE_GROUP]: 'site group',
  [SITE]: 'site',
  [LOCATION]: 'location',
}
const PLACES = Object.keys(PLACE_TYPES)

/** The most places one below another, with the one at the top. */
const MAX_LEVELS = 20

const SITE_USED = new Set('name slug description physical_address region group tags asns'.split(' '))
const USED = new Set('name slug description parent site tags'.split(' '))

const buildKey = ({ kind, id }: Target): string => `${kind}.${id}`

const joinLines = (text: unknown): string =>
  String(text ?? '')
    .split(/\r\n|\r|\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(', ')

/** The places of a file. */
export class Places implements PlaceTree {
  readonly #reading: Reading
  /** The place above each one that has any. */
  readonly #parents = new Map<string, Target>()
  readonly #levels = new Map<string, number>()

  constructor(reading: Reading) {
    this.#reading = reading
    const { model } = reading
    for (const kind of PLACES)
      for (const object of model.of(kind)) {
        const parent = this.#findParent(kind, object)
        if (parent) this.#parents.set(buildKey({ kind, id: object.id }), parent)
      }
    for (const kind of PLACES) for (const { id } of model.of(kind)) this.#setLevel({ kind, id })
  }

  /** Places from the top down. */
  get list(): readonly (Target & { readonly object: NetboxObject })[] {
    const all = PLACES.flatMap((kind) =>
      this.#reading.model.of(kind).map((object) => ({ kind, id: object.id, object })),
    )
    const getLevel = (place: Target) => this.#levels.get(buildKey(place)) ?? 1
    return all.toSorted((a, b) => getLevel(a) - getLevel(b))
  }

  parentOf(place: Target): Target | undefined {
    return this.#parents.get(buildKey(place))
  }

  /** True for a place that the file lists. */
  has({ kind, id }: Target): boolean {
    return kind in PLACE_TYPES && this.#reading.model.isListed(kind, id)
  }

  /** Returns a place and all above it, from the place up. */
  listUp(place: Target | undefined): readonly Target[] {
    const all: Target[] = []
    for (let at = place; at; at = this.parentOf(at)) all.push(at)
    return all
  }

  /** Returns the place of an object: its location, its site, or the place that is its scope. */
  find(object: NetboxObject): Target | undefined {
    const { model } = this.#reading
    const scope = model.target(object, 'scope')
    const location = object.location ?? (scope?.kind === LOCATION ? scope.id : undefined)
    const candidates = [
      { kind: LOCATION, id: location },
      { kind: SITE, id: object.site },
      ...(scope && scope.kind in PLACE_TYPES ? [scope] : []),
      // A location that other objects only name may say its site.
      { kind: SITE, id: model.find(LOCATION, location)?.site },
    ]
    return candidates.find((one): one is Target => typeof one.id === 'number' && model.isListed(one.kind, one.id))
  }

  #findParent(kind: string, { parent, region, group, site }: NetboxObject): Target | undefined {
    const candidates =
      kind === SITE
        ? [
            { kind: REGION, id: region },
            { kind: SITE_GROUP, id: group },
          ]
        : [{ kind, id: parent }, ...(kind === LOCATION ? [{ kind: SITE, id: site }] : [])]
    const { model } = this.#reading
    return candidates.find((one): one is Target => typeof one.id === 'number' && model.isListed(one.kind, one.id))
  }

  /** Sets the level of a place and of all above it. A place above that would close a circle, or be too far up, is left over. */
  #setLevel(place: Target): void {
    const open: Target[] = []
    const seen = new Set<string>()
    for (let at: Target | undefined = place; at && !this.#levels.has(buildKey(at)); at = this.parentOf(at)) {
      const key = buildKey(at)
      if (seen.has(key)) this.#leaveParent(open.at(-1) ?? at, 'is below itself')
      if (seen.has(key)) break
      seen.add(key)
      open.push(at)
    }
    for (const one of open.toReversed()) {
      const above = this.parentOf(one)
      const level = above ? (this.#levels.get(buildKey(above)) ?? 0) + 1 : 1
      if (level > MAX_LEVELS) this.#leaveParent(one, `is below more than ${MAX_LEVELS} places`)
      this.#levels.set(buildKey(one), level > MAX_LEVELS ? 1 : level)
    }
  }

  #leaveParent(place: Target, why: string): void {
    const above = this.parentOf(place)
    this.#parents.delete(buildKey(place))
    this.#reading.report.left(`${place.kind}.parent`, why, { id: place.id, value: above })
  }
}

export const toPlaceRef = (place: Target | undefined): RowRef | undefined => place && toRef(place.kind, place.id)

/** Returns the datacenter of an object. */
export const findDatacenter = ({ places }: Mapping, object: NetboxObject): RowRef | undefined =>
  toPlaceRef(places.find(object))

/** Returns lines for the place of an object where its datacenter does not say it. */
export const listPlaceLines = ({ model, places }: Mapping, object: NetboxObject): Line[] => {
  const { site } = object
  const isSite = typeof site === 'number' && places.has({ kind: SITE, id: site })
  const scope = model.target(object, 'scope')
  return [
    {
      key: 'site',
      value: site === undefined || isSite ? '' : model.label(SITE, site),
    },
    {
      key: 'scope',
      value: !scope || places.has(scope) ? '' : `${scope.kind} ${model.label(scope.kind, scope.id)}`,
    },
  ]
}

/** Returns lines for the places above a place that are not in the file. */
const listAboveLines = ({ model }: Mapping, { kind, object }: Kinded): Line[] =>
  (
    [
      ['region', REGION],
      ['group', SITE_GROUP],
      ['parent', kind],
    ] as const
  ).map(([key, above]) => {
    const id = object[key]
    const isRow = typeof id === 'number' && model.isListed(above, id)
    return { key, value: id === undefined || isRow ? '' : model.label(above, id) }
  })

type Kinded = { readonly kind: string; readonly object: NetboxObject }

export const buildDatacenters = (mapping: Mapping): EstateRow[] => {
  const rows: EstateRow[] = []
  for (const { kind, id, object } of mapping.places.list) {
    const { name, description } = object
    const at = (field: string) => ({ kind, id, field })
    const lines = [
      ...listLines(mapping, { kind, object, used: kind === SITE ? SITE_USED : USED }),
      ...listAboveLines(mapping, { kind, object }),
      ...(kind === LOCATION ? listPlaceLines(mapping, object) : []),
    ]
    const row = compact({
      name: toText(mapping, at('name'), name) || `${PLACE_TYPES[kind]} #${id}`,
      parent: toPlaceRef(mapping.places.parentOf({ kind, id })),
      location: toText(mapping, at('physical_address'), joinLines(object.physical_address)),
      description: mapping.report.describe(kind, id, String(description ?? ''), lines),
      custom: mapping.custom.of(kind, object),
      refs: toRefs(kind, id),
    })
    addRow(rows, mapping, { kind, object, row })
  }
  return rows
}
