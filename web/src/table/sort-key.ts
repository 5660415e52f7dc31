/** The order of texts in tables: that of the server. */
import { toNameKey, toNameOrder } from '../../../src/net/name-order.ts'

/** Returns the text by which rows are sorted: names in natural order, regardless of case and of diacritics. */
export const toSortKey = (text: string): string => toNameOrder(toNameKey(text))
