/** The events of scanners between features. */
import type { Scanner } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    /** A scanner has redeemed its token. */
    'scanner.enrolled': { readonly id: string }
    /** Its tokens are void. */
    'scanner.revoked': { readonly id: string }
    'scanner.deleting': { readonly id: string }
    'scanner.online': Scanner
    'scanner.offline': Scanner
  }
}
