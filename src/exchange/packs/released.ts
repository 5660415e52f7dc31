/** The files of packs that were ever released, each version of a pack after the one before. The only list of them. */
import assets1 from './assets/1.json' with { type: 'json' }
import circuits1 from './circuits/1.json' with { type: 'json' }
import contacts1 from './contacts/1.json' with { type: 'json' }
import nat1 from './nat/1.json' with { type: 'json' }
import parts1 from './parts/1.json' with { type: 'json' }
import power1 from './power/1.json' with { type: 'json' }
import racks1 from './racks/1.json' with { type: 'json' }
import redundancy1 from './redundancy/1.json' with { type: 'json' }
import routing1 from './routing/1.json' with { type: 'json' }
import services1 from './services/1.json' with { type: 'json' }
import tenancy1 from './tenancy/1.json' with { type: 'json' }
import virtualization1 from './virtualization/1.json' with { type: 'json' }
import vpn1 from './vpn/1.json' with { type: 'json' }
import wireless1 from './wireless/1.json' with { type: 'json' }

/** A file as it is written. */
export type PackFile = {
  readonly name: string
  readonly version: number
  readonly title: string
  readonly description: string
  readonly kinds: readonly Readonly<Record<string, unknown>>[]
  readonly 'custom-fields': readonly Readonly<Record<string, unknown>>[]
}

export const RELEASED: readonly PackFile[] = [
  ...[assets1, circuits1, contacts1, nat1, parts1, power1, racks1, redundancy1, routing1, services1, tenancy1],
  ...[virtualization1, vpn1, wireless1],
]
