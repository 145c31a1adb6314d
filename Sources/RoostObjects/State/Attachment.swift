// SPDX-License-Identifier: Apache-2.0

/// The fetch group or path recorder that an object belongs to.
enum Attachment {
  case none
  /// The objects that were fetched or related together with it.
  case fetched(FetchGroup)
  /// The path recorder of a key path that is evaluated on the object, a stand-in for its class.
  case recording(PathRecorder)
}
