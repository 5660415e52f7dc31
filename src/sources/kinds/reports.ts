/** Joins the report of a conversion and the report of the keys of its rows. */
import type { ConvertReport } from '../../convert/converter.ts'

export const mergeReports = (converted: ConvertReport, keyed: ConvertReport): ConvertReport => ({
  ...converted,
  made: keyed.made,
  left: [...converted.left, ...keyed.left],
  warnings: [...converted.warnings, ...keyed.warnings],
})
