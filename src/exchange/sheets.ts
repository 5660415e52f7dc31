/** The columns of spreadsheets by the names of resources. Browser-safe. */
import type { Sheet } from '../base/sheets/sheet.ts'
import { FACTS, type Resource } from '../inventory/resources.ts'
import { getSheet as getSheetByFacts } from '../resource/sheet.ts'

export const getSheet = (resource: Resource): Sheet => getSheetByFacts(FACTS[resource])
