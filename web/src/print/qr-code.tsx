/** A QR code as SVG (ISO/IEC 18004). */
import { encode } from 'uqr'

type Props = { readonly text: string; readonly label: string; readonly className?: string | undefined }

export const QrCode = ({ text, label, className }: Props) => {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      {/* In both themes: readers of codes expect dark on light. */}
      <rect width={size} height={size} fill="white" />
      <path d={dark.join('')} fill="black" />
    </svg>
  )
}
