#pragma once

namespace rollcall {

/// Deleter of a std::unique_ptr that owns what a C library made: `std::unique_ptr<X509, Freed<X509_free>>`.
template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

}  // namespace rollcall
