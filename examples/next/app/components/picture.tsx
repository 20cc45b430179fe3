interface PictureProps {
  src: string | null
  alt: string
  isFirst?: boolean
}

// Uploaded pictures have copies in four widths, which the server names by the parameter `w`.
export function Picture({ src, alt, isFirst = false }: PictureProps) {
  if (src === null) return <span className="no-picture" />
  // biome-ignore lint/performance/noImgElement: the server has the copies already.
  return <img src={src} alt={alt} width={800} height={800} loading={isFirst ? 'eager' : 'lazy'} decoding="async" />
}
