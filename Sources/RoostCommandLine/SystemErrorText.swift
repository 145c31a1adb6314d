// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of an error of the operating system or of Foundation's files, which describe themselves by domains and
/// numbers.
struct SystemErrorText {
  /// The reason, a sentence.
  let reason: String
  /// The path that the error names; nil for none.
  let path: String?

  /// - Returns: nil for an error of another kind.
  init?(_ error: any Error) {
    // By the type and not by a cast, which on some platforms bridges every error.
    let kind: Any.Type = type(of: error)
    guard kind is NSError.Type || kind == CocoaError.self || kind == POSIXError.self else {
      return nil
    }
    let error = error as NSError
    reason = Self.reason(error)
    path =
      error.userInfo[NSFilePathErrorKey] as? String
      ?? (error.userInfo[NSURLErrorKey] as? URL)?.path(percentEncoded: false)
  }

  /// The path and the reason.
  var text: String { path.map { "\($0): \(reason)" } ?? reason }

  private static func reason(_ error: NSError) -> String {
    if let number = number(error) { return String(cString: strerror(number)) + "." }
    let text = error.localizedDescription
    return text.hasSuffix(".") ? text : text + "."
  }

  /// The number that the operating system has for the reason; nil for none.
  private static func number(_ error: NSError) -> Int32? {
    if error.domain == NSPOSIXErrorDomain { return Int32(exactly: error.code) }
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error,
      case let cause = cause as NSError, cause.domain == NSPOSIXErrorDomain
    {
      return Int32(exactly: cause.code)
    }
    guard error.domain == NSCocoaErrorDomain else { return nil }
    return switch CocoaError.Code(rawValue: error.code) {
    case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
    case .fileReadNoPermission, .fileWriteNoPermission: EACCES
    case .fileWriteFileExists: EEXIST
    case .fileWriteOutOfSpace: ENOSPC
    case .fileWriteVolumeReadOnly: EROFS
    default: nil
    }
  }
}
