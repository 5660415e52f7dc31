/** The resources with custom fields, as the editor calls them, and those that a reference may name. */
import type { ResourceFacts } from '../../../src/resource/facts.ts'
import { withCapital } from '../resource/facts/from-facts.ts'
import { WITH_CUSTOM } from '../resource/facts/menu-order.ts'
import { findTitle } from '../shell/nav.ts'
import type { CustomResource, Target } from './values.ts'

const toEntry = ({ name, noun, customOf }: ResourceFacts): readonly [string, string] =>
  customOf === undefined ? [name, findTitle(name) ?? `${withCapital(noun)}s`] : [customOf, withCapital(customOf)]

/** In the order of the editor. */
export const RESOURCE_TITLES =
  // The registry has all resources with custom fields.
  Object.fromEntries(WITH_CUSTOM.map(toEntry)) as Readonly<Record<CustomResource, string>>

/** A reference names an object by its name. */
const isTarget = ({ fields }: ResourceFacts): boolean => fields.name?.type === 'name'

export const TARGETS =
  // The server takes the same, as the tests compare.
  WITH_CUSTOM.filter(isTarget).map(({ name }) => name) as readonly Target[]
