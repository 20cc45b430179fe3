import Link from 'next/link'

export default function NotFound() {
  return (
    <>
      <h1>Not here</h1>
      <p className="lead">What you are looking for is not in this shop, or not any more.</p>
      <Link className="button" href="/">
        Look around
      </Link>
    </>
  )
}
