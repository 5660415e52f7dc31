/**
 * Identifies vendor, system, version and model of an SNMP agent. The rules are `systems.json`: those of a vendor by its number
 * (IANA Private Enterprise Numbers), those of number 0 for agents of others, such as Net-SNMP, that serve many devices.
 * The first match counts, so specific rules precede general ones. A rule without a condition names the only system of its vendor.
 */
import type { SnmpSystem } from '../protocol.ts'
import { KERNELS } from './generic-systems.ts'
import vendors from './systems.json' with { type: 'json' }

type Entry = {
  readonly system: string
  /** The vendor, where it is not the owner of the number. */
  readonly vendor?: string
  /** Object identifiers below the number of the vendor, any of them. */
  readonly oids?: readonly string[]
  /** Pattern of sysDescr: none with a repetition within a repetition. */
  readonly text?: string
  readonly flags?: string
}

type Rule = {
  readonly system: string
  readonly vendor: string
  readonly oids: readonly string[] | undefined
  readonly text: RegExp | undefined
}

type Vendor = { readonly name: string; readonly rules: readonly Rule[] }

const toVendor = ({ vendor, systems }: { readonly vendor: string; readonly systems: readonly Entry[] }): Vendor => ({
  name: vendor,
  rules: systems.map((one) => ({
    system: one.system,
    vendor: one.vendor ?? vendor,
    oids: one.oids,
    text: one.text === undefined ? undefined : new RegExp(one.text, one.flags),
  })),
})

const VENDORS: ReadonlyMap<number, Vendor> = new Map(vendors.map((one) => [one.number, toVendor(one)]))
const ANY: Vendor = VENDORS.get(0) ?? { name: '', rules: [] }

const ENTERPRISES = '1.3.6.1.4.1.'

/** The version in sysDescr, where the general pattern does not find it. */
const VERSIONS: Readonly<Record<string, RegExp>> = {
  Linux: /^Linux (?:\S+ )?(\d[\w.+-]*)/,
  'Linux (embedded)': /^Linux (?:\S+ )?(\d[\w.+-]*)/,
  'Linux (custom kernel)': /^Linux (?:\S+ )?(\d[\w.+-]*)/,
  FreeBSD: /^FreeBSD \S+ ([\w.-]+)/,
  Junos: /JUNOS ([\w.-]+)/,
  Windows: /Version ([\d.]+)/,
  // MB is the boot monitor, PF the operating system.
  'APC AOS': /PF:v([\w.]+)/,
  'APC InRow': /PF:v([\w.]+)/,
  'APC environmental monitor': /PF:v([\w.]+)/,
  'ArubaOS-Switch': /revision ([\w.-]+)|, ([A-Z]{2}\.[\w.]+)|InstantOn_\w+?_([\d.]+)/,
  'ArubaOS-CX': /\b([A-Z]{2}\.\d[\w.]+)/,
  'Axis camera': /^; AXIS [^;]+; [^;]+; ([\d.]+)/,
  'Axis audio': /^; AXIS [^;]+; [^;]+; ([\d.]+)/,
  BOSS: /SW:v?([\d.]+)/,
  'Dell Networking OS': /Application Software Version: ([\w.()]+)/,
  FTOS: /Application Software Version: ([\w.()]+)/,
  OPNsense: /^OPNsense \S+ ([\d.]+)|^FreeBSD \S+ ([\w.-]+)/,
  'BIG-IP': /software release ([\d.]+)/,
  DrayTek: /Version: ([\w.]+)/,
  PowerConnect: /^[^,]+, ([\d.]+)/,
  'SR OS': /TiMOS-\w+-([\w.]+)/,
  'VMware ESXi': /ESXi? ([\d.]+)/,
  'VMware vCenter': /Appliance ([\d.]+)/,
  VOSS: /\(([\d.]+[\w.]*)\)/,
}

const MODELS: Readonly<Record<string, RegExp>> = {
  Junos: /^Juniper Networks, Inc\. (\S+)/,
  RouterOS: /^RouterOS (\S+)/,
  SwOS: /^(\S+) SwOS/,
  'Arista EOS': /running on an? Arista Networks (\S+)/,
  'ArubaOS-Switch': /^(?:HPE?|Aruba|ProCurve)\s+(.+? Switch(?: \w+)?)?(?:,| Switch)/,
  ArubaOS: /MODEL: ([^)]+)/,
  'Aruba Instant': /MODEL: ([^)]+)/,
  'Axis camera': /^; AXIS ([^;]+)/,
  'Axis audio': /^; AXIS ([^;]+)/,
  'HP printer': /PID:(?:HP )?([^,;]+)/,
  DrayTek: /Router Model: ([^,]+)/,
  'Cisco Small Business': /^((?:S[FGX]|CBS|C1[23])\w*-[\w-]+)|\(([\w-]+)\)$/,
  'SR OS': /Nokia (\S+ \S+) Copyright/,
}

const BOOT = /(?:boot\w*|\brom|hardware|\bh\/?w|kernel|bios|loader|mb)\W*$/i
const VERSION =
  /\b(?:software version|version|ver\.?|firmware|fw|sw|release|revision|rev\.?)[\s:.=-]{0,3}v?(\d[\w.()-]*)|\bv(\d+\.[\w.()-]+)/gi

/** Finds the version of the system in a text, and not that of its boot loader or its hardware. */
const findVersion = (text: string): string => {
  for (const { index, 1: named = '', 2: short = '' } of text.matchAll(VERSION))
    if (!BOOT.test(text.slice(Math.max(0, index - 16), index))) return (named || short).replace(/[.(-]+$/, '')
  return ''
}

const findGroup = (pattern: RegExp | undefined, text: string): string =>
  pattern
    ?.exec(text)
    ?.slice(1)
    .find((group) => group !== undefined)
    ?.trim() ?? ''

const splitObjectId = (objectId: string): { readonly number: number; readonly below: string } => {
  const oid = objectId.trim().replace(/^\./, '')
  if (!oid.startsWith(ENTERPRISES)) return { number: 0, below: '' }
  const [number = '', ...below] = oid.slice(ENTERPRISES.length).split('.')
  return { number: Number(number), below: below.join('.') }
}

const matches = ({ oids, text }: Rule, below: string, description: string): boolean =>
  (oids === undefined || oids.some((oid) => below === oid || below.startsWith(`${oid}.`))) &&
  (text === undefined || text.test(description))

const isConditional = ({ oids, text }: Rule): boolean => oids !== undefined || text !== undefined

const findRule = (objectId: string, description: string): Pick<Rule, 'system' | 'vendor'> => {
  const { number, below } = splitObjectId(objectId)
  const vendor = number === 0 ? undefined : VENDORS.get(number)
  const specific = vendor?.rules.find((rule) => isConditional(rule) && matches(rule, below, description))
  if (specific) return specific
  const general = ANY.rules.find(
    (rule) => (vendor === undefined || !KERNELS.has(rule.system)) && matches(rule, below, description),
  )
  if (general) return general
  return vendor?.rules.find((rule) => !isConditional(rule)) ?? { vendor: vendor?.name ?? '', system: '' }
}

/** The first chassis of ENTITY-MIB (RFC 6933), as it describes itself; empty texts without one. */
export type Chassis = {
  readonly vendor: string
  readonly model: string
  readonly serial: string
  readonly software: string
}

/** Many small devices send nothing but their model. */
const MODEL_ALONE = /^(?=.*\d)[A-Z][\w+/-]{2,39}$/

const findModel = (system: string, description: string, model: string): string => {
  const named = findGroup(MODELS[system], description)
  return model || named || (MODEL_ALONE.test(description) ? description : '')
}

/**
 * @param description sysDescr
 * @param objectId sysObjectID, dotted
 */
export const identifySystem = (
  { description, objectId }: { readonly description: string; readonly objectId: string },
  chassis: Chassis,
): SnmpSystem => {
  const text = description.replace(/\s+/g, ' ').replace(/^["\\ ]+|["\\ ]+$/g, '')
  const { vendor, system } = findRule(objectId, text)
  const pattern = VERSIONS[system]
  const version = pattern ? findGroup(pattern, text) : findVersion(text)
  return {
    vendor: vendor || (system === '' ? chassis.vendor : ''),
    system,
    version: (version || findVersion(chassis.software) || chassis.software).slice(0, 120),
    model: findModel(system, text, chassis.model).slice(0, 120),
    serial: chassis.serial,
  }
}
