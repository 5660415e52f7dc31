/** One label as it is printed: the code at the left, the texts beside it. */
import type { Label } from './label.ts'
import css from './labels.module.css'
import { QrCode } from './qr-code.tsx'
import type { Size } from './sizes.ts'

const TAPE_MM = 16

type Props = { readonly label: Label; readonly size: Size; readonly origin: string }

export const LabelView = ({ label: { name, line, place, path }, size: { width, height }, origin }: Props) => {
  const side = Math.min(height, width / 2)
  // About 13 characters of the name fit beside the code.
  const nameSize = Math.min(height / 4, (width - side) / 7.5)
  return (
    <div className={css.label} style={{ width: `${width}mm`, height: `${height}mm` }}>
      <div className={css.code} style={{ width: `${side}mm`, height: `${side}mm` }}>
        <QrCode text={new URL(path, origin).href} label={`Code of ${name}`} />
      </div>
      <div className={css.texts} style={{ fontSize: `${nameSize * 0.62}mm` }}>
        <b style={{ fontSize: `${nameSize}mm` }}>{name}</b>
        {line !== '' && <span className="mono">{line}</span>}
        {place !== '' && height > TAPE_MM && <span>{place}</span>}
      </div>
    </div>
  )
}
