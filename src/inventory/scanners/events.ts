/** The events of scanners between features. */
import type { Scanner } from './api.ts'

type Named = Pick<Scanner, 'id' | 'name'>

declare module '../../kernel/events.ts' {
  interface Events {
    /** A scanner has redeemed its token. */
    'scanner.enrolled': { readonly id: string }
    /** Its tokens are void. */
    'scanner.revoked': Named
    'scanner.deleting': Named
    'scanner.online': Scanner
    'scanner.offline': Scanner
  }
}
