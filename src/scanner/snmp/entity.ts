/** Reads the chassis of a device from ENTITY-MIB, RFC 6933. */
import type { Agent } from './session.ts'
import type { Chassis } from './systems.ts'
import { getSuffix, toNumber, toText } from './values.ts'

const CLASS = '1.3.6.1.2.1.47.1.1.1.1.5'
const COLUMNS = {
  software: '1.3.6.1.2.1.47.1.1.1.1.10',
  serial: '1.3.6.1.2.1.47.1.1.1.1.11',
  vendor: '1.3.6.1.2.1.47.1.1.1.1.12',
  model: '1.3.6.1.2.1.47.1.1.1.1.13',
} as const
/** PhysicalClass. */
const CHASSIS = 3
/** The chassis is one of the first entities, of which a large device has thousands. */
const MOST_ENTITIES = 256

const NO_CHASSIS: Chassis = { software: '', serial: '', vendor: '', model: '' }

/** Texts that say nothing: agents fill in what they do not know. */
const toName = (value: unknown): string => {
  const text = toText(value, 120)
  return /^(?:n\/?a|none|null|unknown|not available|-+|0+|<.*>)?$/i.test(text) ? '' : text
}

/** Returns the first chassis: of a stack the one that speaks for it. Empty texts without one. */
export const readChassis = async (agent: Agent): Promise<Chassis> => {
  const first = (await agent.walk(CLASS, MOST_ENTITIES)).find(({ value }) => toNumber(value) === CHASSIS)
  if (first === undefined) return NO_CHASSIS
  const index = getSuffix(first.oid, CLASS).join('.')
  const columns = [COLUMNS.software, COLUMNS.serial, COLUMNS.vendor, COLUMNS.model]
  // The agent has identified itself: without an answer the rest counts.
  const values = await agent.get(columns.map((column) => `${column}.${index}`)).catch(() => [])
  const [software, serial, vendor, model] = values
  return { software: toName(software), serial: toName(serial), vendor: toName(vendor), model: toName(model) }
}
